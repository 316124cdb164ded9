//go:build !race

package react_test

const sample = 1
