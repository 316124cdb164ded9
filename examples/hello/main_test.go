package main

func Example() {
	main()
	// Output: Hello from where you are!
}
