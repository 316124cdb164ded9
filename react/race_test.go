//go:build race

package react_test

// sample is how many recorded runs the race detector is spared, of which one is
// played: TestFalseRuns has one goroutine.
const sample = 16
