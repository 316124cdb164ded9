package lex

import "github.com/actdone/actdone/tools"

// Match returns the index of the tool that a model meant by name, or -1: the
// one of exactly that name, else the only one whose name is plainly the same.
func Match(list []tools.Tool, name string, plain func(string) string) int {
	for i := range list {
		if list[i].Name == name {
			return i
		}
	}
	meant, found := plain(name), -1
	for i := range list {
		if plain(list[i].Name) == meant {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
