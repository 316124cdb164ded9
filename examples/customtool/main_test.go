package main

func Example() {
	main()
	// Output:
	// stock "apple": error: no fruit "apple"; there are apples, pears
	// stock "apples": 12 crates
	// note "buyer\nApples: 12 crates.\nNo order needed.": saved
	// There are 12 crates of apples; the buyer has a note.
	// note for the buyer: "Apples: 12 crates.\nNo order needed."
}
