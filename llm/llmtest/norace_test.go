//go:build !race

package llmtest_test

const spared = false
