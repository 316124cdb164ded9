//go:build unix && !linux

package workspace

var insideCalls []insideCall
