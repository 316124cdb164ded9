package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// most is the largest number that an option takes.
const most = 1e9

// take sets what the options of a marker say.
func (o *Options) take(h head) error {
	for _, option := range h.options {
		if err := o.set(option.key, option.value); err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) set(key, value string) (err error) {
	switch key {
	case "times":
		o.Times, err = number(key, value, 1)
	case "in":
		o.In, err = number(key, value, 0)
	case "out":
		o.Out, err = number(key, value, 0)
	case "cached":
		o.Cached, err = number(key, value, 0)
	case "delay":
		o.Delay, err = duration(key, value)
	case "gap":
		o.Gap, err = duration(key, value)
	case "chunk":
		o.Chunk, err = value, checkChunk(value)
	case "split":
		o.Split, err = value, oneOf(key, value, "bytes")
	case "finish":
		o.Finish, err = value, oneOf(key, value, "stop", "length", "tool_calls", "content_filter")
	default:
		err = o.setRecorded(key, value)
	}
	return err
}

// setRecorded sets what a recorder has written.
func (o *Options) setRecorded(key, value string) error {
	switch key {
	case "on":
		o.On = value
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return fmt.Errorf("on=%s; want a date such as 2026-11-29", value)
		}
	case "model":
		o.Model = value
		if value == "" {
			return errors.New("model= is empty; name the model or leave it out")
		}
	case "of":
		o.HashOf = value
		if len(value) != hashLen || strings.Trim(value, "0123456789abcdef") != "" {
			return fmt.Errorf("of=%s; want the %d hex digits that a recorder writes", value, hashLen)
		}
	}
	return nil
}

// number reads a whole number.
func number(key, value string, least int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s=%s; want a whole number, %d or more", key, value, least)
	}
	return n, nil
}

// duration reads a time that is not negative.
func duration(key, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s=%s; want a time such as 2s or 50ms", key, value)
	}
	return d, nil
}

// checkChunk reports a way of cutting that there is not.
func checkChunk(value string) error {
	if slices.Contains([]string{"rune", "word", "line"}, value) {
		return nil
	}
	if n, err := strconv.Atoi(value); err != nil || n < 1 || strconv.Itoa(n) != value {
		return fmt.Errorf("chunk %q; there are rune, word, line, and a number of characters", value)
	}
	return nil
}

// put adds the options to a marker.
func (o *Options) put(h *head) {
	count := func(key string, n int) {
		if n > 0 {
			h.add(key, strconv.Itoa(n))
		}
	}
	span := func(key string, d time.Duration) {
		if d > 0 {
			h.add(key, shortDuration(d))
		}
	}
	count("in", o.In)
	count("out", o.Out)
	count("cached", o.Cached)
	span("delay", o.Delay)
	span("gap", o.Gap)
	h.add("chunk", o.Chunk)
	h.add("split", o.Split)
	h.add("finish", o.Finish)
	count("times", o.Times)
	h.add("on", o.On)
	h.add("model", o.Model)
	h.add("of", o.HashOf)
}

// shortDuration returns 2m for what fmt calls 2m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
