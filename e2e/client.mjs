// Asks servers with the openai package, as its README does it, and says what came
// of each ask. In: a list of servers; out: a list of turns for each. Both are JSON;
// the package internal/clienttest has the shapes.
import OpenAI, { APIError } from "openai";
import { readFileSync } from "node:fs";

const tools = [{ type: "function", function: { name: "bash", parameters: { type: "object", properties: {} } } }];

// whole asks for a whole reply.
async function whole(client, messages, turn) {
  const reply = await client.chat.completions.create({ model: "small", messages, tools });
  take(turn, reply.choices?.[0]?.message, reply);
}

// streamed asks for a stream, and puts its pieces together.
async function streamed(client, messages, turn) {
  const pieces = await client.chat.completions.create({
    model: "small", messages, tools, stream: true, stream_options: { include_usage: true },
  });
  for await (const piece of pieces) {
    take(turn, piece.choices[0]?.delta, piece);
  }
}

// take adds a message, or a piece of one, to what has come so far.
function take(turn, message, { choices, usage }) {
  turn.text += message?.content ?? "";
  (message?.tool_calls ?? []).forEach((call, i) => {
    const known = (turn.calls[call.index ?? i] ??= { id: "", name: "", arguments: "" });
    known.id += call.id ?? "";
    known.name += call.function.name ?? "";
    known.arguments += call.function.arguments;
  });
  turn.finish = choices?.[0]?.finish_reason ?? turn.finish;
  if (usage) {
    turn.usage = [usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens];
  }
}

// problem says what went wrong.
function problem(err) {
  if (!(err instanceof APIError) || err.status === undefined) {
    return { broken: true };
  }
  return {
    status: err.status, message: err.error?.message ?? "", code: err.code ?? "",
    retryAfter: err.headers?.get("retry-after") ?? "",
  };
}

// converse asks a server a number of times. What went wrong is told, and the same
// is asked again.
async function converse({ base, stream, retries, asks }) {
  const client = new OpenAI({ baseURL: base, apiKey: "none", maxRetries: retries, timeout: 20_000 });
  const messages = [{ role: "user", content: "go on" }];
  const turns = [];
  while (turns.length < asks) {
    const turn = { text: "", calls: [], finish: "", usage: [0, 0, 0] };
    turns.push(turn);
    try {
      await (stream ? streamed : whole)(client, messages, turn);
    } catch (err) {
      turn.error = problem(err);
    }
    if (!turn.error && (turn.text !== "" || turn.calls.length > 0)) {
      messages.push(...goOn(turn));
    }
  }
  return turns;
}

// goOn returns the messages that follow a reply: itself, and what answers it.
function goOn({ text, calls }) {
  if (calls.length === 0) {
    return [{ role: "assistant", content: text }, { role: "user", content: "go on" }];
  }
  const tool_calls = calls.map(({ id, ...call }) => ({ id, type: "function", function: call }));
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "result of " + id }));
  return [{ role: "assistant", content: text || null, tool_calls }, ...results];
}

const servers = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(await Promise.all(servers.map(converse))));
