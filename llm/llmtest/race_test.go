//go:build race

package llmtest_test

// spared says that saboteurs are spared the heavy subtests of others: without the
// race detector none is.
const spared = true
