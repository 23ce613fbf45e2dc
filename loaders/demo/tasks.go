package demo

// task is a prompt with its answer.
type task struct {
	prompt, truth string
	difficulty    float64 // from 0 to 1
	graded        bool    // 0.9 · accuracy + 0.1 · format instead of 0 or 1
}

// tasks returns the training set.
func tasks() []task {
	return []task{
		{"Compute 12 · 13.", "156", 0.00, false},
		{"What is the remainder when 7^100 is divided by 5?", "1", 0.45, false},
		{"A bag contains 4 red and 6 blue marbles. Two are drawn without replacement. What is the probability that both are red? Give a fraction in lowest terms.", "2/15", 0.40, false},
		{"Let ABC be a triangle with AB = 13, BC = 14 and CA = 15. Find the length of the altitude from A.", "12", 0.55, false},
		{"How many positive divisors does 360 have?", "24", 0.30, false},
		{"Simplify (x^2 - 9)/(x - 3) for x ≠ 3.", "x + 3", 0.10, false},
		{"Solve 2x + 3 = 11 for x.", "4", 0.02, false},
		{"How many primes are below 20?", "8", 0.12, false},
		{"A train leaves at 9:40 and arrives at 13:05. How many minutes does the journey take?", "205", 0.22, false},
		{"Mara has three times as many stamps as Jonas. Together they have 96. How many does Mara have?", "72", 0.15, false},
		{"Find the sum of all integers n with 1 ≤ n ≤ 100 that are divisible by 3 but not by 5.", "1368", 0.62, false},
		{"In how many ways can 5 people sit at a round table if two of them refuse to sit side by side?", "12", 0.66, false},
		{"What is the smallest positive integer that leaves remainder 1 when divided by 2, 3, 4, 5 and 6, and is divisible by 7?", "301", 0.70, false},
		{"The sum of two numbers is 40 and their product is 351. What is the larger one?", "27", 0.33, false},
		{"Evaluate the integral of x·e^x from 0 to 1.", "1", 0.48, false},
		{"How many trailing zeros has 125!?", "31", 0.42, false},
		{"解方程 2x + 3 = 11，x 是多少？", "4", 0.08, false},
		{"小明有 24 个苹果，分给 5 个朋友，每人分得同样多，最多每人几个？还剩几个？", "4, 4", 0.28, false},
		{"連続する3つの整数の和が 72 のとき、最大の整数はいくつですか。", "25", 0.35, false},
		{"If 🍎 + 🍎 = 10 and 🍎 + 🍌 = 12, what is 🍎 × 🍌?", "35", 0.18, false},
		{"A rectangle's perimeter is 54 cm and its length is twice its width. What is its area in cm²?", "162", 0.26, false},
		{"Find the number of ordered pairs (a, b) of positive integers with a + b = 100 and gcd(a, b) = 1.", "40", 0.72, false},
		{"Prove or refute: the sum of two irrational numbers is irrational. Answer 'true' or 'false'.", "false", 0.20, false},
		{"What is the coefficient of x^3 in (1 + 2x)^7?", "280", 0.50, false},
		{"A clock shows 3:15. What is the angle in degrees between its hands?", "7.5", 0.44, false},
		{"Find all real x with sqrt(x + 7) = x - 5. Give the largest.", "9", 0.38, false},
		{"Three fair dice are thrown. What is the probability that their sum is 10?", "1/8", 0.58, false},
		{"How many subsets of {1, …, 10} contain no two consecutive numbers?", "144", 0.75, false},
		{"A tank is filled by one pipe in 6 hours and emptied by another in 10. Both are open. After how many hours is it full?", "15", 0.36, false},
		{"What is the last digit of 3^2024?", "1", 0.34, false},
		{"Ophelia will be four times as old as Lennon in two years. Lennon is eight now. How old is Ophelia?", "38", 0.24, false},
		{"Let f(x) = x^2 - 4x + 7. What is the minimum of f over the real numbers?", "3", 0.16, false},
		{"A regular hexagon has side 4. What is its area?", "24√3", 0.43, false},
		{"Let p be a prime such that p^2 + 2 is also prime. Find the sum of all such p.", "3", 0.64, false},
		{"Determine the number of functions f: {1,2,3,4} → {1,2,3,4} with f(f(x)) = x for all x.", "10", 0.82, false},
		{"Each of the 27 unit cubes of a 3×3×3 cube is coloured black or white so that every row of three in each of the three directions holds an odd number of black cubes. A cleaner then repaints one whole face white, after which the rows are counted once more. In how many ways can the first colouring be chosen?", "256", 0.97, false},
		{"A sequence is defined by a_1 = 1 and a_{n+1} = a_n + floor(sqrt(a_n)). Find the smallest n for which a_n exceeds 10^6.", "1999", 0.95, false},
		{"Find the number of 8-digit strings over {0, 1, 2} in which each digit occurs and no two neighbours are equal.", "378", 0.90, false},
		{"How many lattice paths from (0, 0) to (8, 8) stay weakly below the diagonal and touch it exactly three times in between?", "297", 0.98, false},
		{"Let S be the set of points of the unit square whose distance to its centre is less than that to every side. Find the area of S to six decimals.", "0.218951", 0.93, false},

		{"Write a Go function that reverses a singly linked list in place.", "tests", 0.20, true},
		{"Write a SQL query that returns, for each customer, the date of the first order and the total spent in the 30 days after it.", "tests", 0.45, true},
		{"Implement an LRU cache with get and put in O(1).", "tests", 0.35, true},
		{"Given a list of intervals, merge those that overlap. Return them sorted by start.", "tests", 0.25, true},
		{"Write a regular expression for ISO 8601 dates, and list three strings that it must refuse.", "tests", 0.50, true},
		{"Fix the off-by-one error in this binary search:\n\n    lo, hi = 0, len(a)\n    while lo < hi:\n        mid = (lo + hi) // 2\n        if a[mid] < x: lo = mid\n        else: hi = mid\n    return lo", "tests", 0.30, true},
		{"Parse a crontab line into its five fields and say in plain words when it fires: */15 9-17 * * 1-5", "tests", 0.40, true},
		{"Write a Python function that groups words which are anagrams of each other; keep the order of first appearance.", "tests", 0.15, true},
		{"Implement Dijkstra's algorithm with a binary heap; return the path, not only its length.", "tests", 0.55, true},
		{"Topologically sort a build graph; name one cycle if there is any.", "tests", 0.60, true},
		{"Convert a Roman numeral to an integer. Refuse those that are not in canonical form.", "tests", 0.28, true},
		{"Write a shell one-liner that lists the ten largest files beneath a directory, without following links.", "tests", 0.22, true},
		{"Summarise the following note in one sentence of at most 20 words: The board met on Tuesday, agreed on the budget after a long argument about travel, postponed the vote on the new building, and thanked Ms Okafor for eleven years of service.", "rubric", 0.18, true},
		{"Rewrite in plain English, without losing a condition: 'The lessee shall, save where the lessor has otherwise consented in writing, refrain from subletting.'", "rubric", 0.32, true},
		{"Translate into German: 'He would rather have stayed at home, had he been asked.'", "rubric", 0.38, true},
		{"请用一句话概括：月球总是以同一面朝向地球，因为它的自转周期与公转周期相同。", "rubric", 0.14, true},
		{"Name three causes of the fall of the price of whale oil after 1860, the weightiest first.", "rubric", 0.52, true},
		{"Extract every date, amount and name from this e-mail as JSON: 'Dear Ana, the 3 March transfer of €1,250.00 to Bo Lindqvist bounced; I sent it again on the 9th.'", "rubric", 0.26, true},
		{"Explain to a ten-year-old why the sky is blue. Use no word of more than three syllables.", "rubric", 0.42, true},
		{"Write a haiku about a failed deployment 🚀💥 with the right number of syllables.", "rubric", 0.48, true},
		{"Ein Bauer hat Hühner und Kaninchen, zusammen 35 Köpfe und 94 Füße. Wie viele Kaninchen sind es?", "12", 0.21, true},
		{"Write a type checker for the simply typed lambda calculus with pairs and sums; report the first error with its position.", "tests", 0.88, true},
		{"Implement a B-tree with insertion and deletion, order 4, and a function that checks all of its invariants.", "tests", 0.92, true},
		{"Plan a week of meals for four people on 90 €, with no meal twice, no nuts, and one day without cooking; show the sum.", "rubric", 0.68, true},
	}
}
