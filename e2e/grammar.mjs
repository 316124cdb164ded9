// Says which texts other programs take for replies that a grammar admits:
// llama.cpp (the addon of node-llama-cpp, without a model) for GBNF, and this
// engine for regular expressions. In and out: JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
const { gbnf, regexp, texts } = JSON.parse(readFileSync(0, "utf8"));
let admits;
if (gbnf !== undefined) {
  const addon = require("./node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/llama-addon.node");
  const grammar = new addon.AddonGrammar(gbnf, { addonExports: addon, rootRuleName: "root" });
  admits = (text) => grammar.isTextCompatible(text);
} else {
  const whole = new RegExp(`^(?:${regexp})$`, "u");
  admits = (text) => whole.test(text);
}
process.stdout.write(JSON.stringify(texts.map(admits)));
