package wire

// sortBy sorts n elements by heapsort. Heapsort has the smallest code of the sorts that never take quadratic time, and every
// guest carries that code. The input is nearly always sorted already.
func sortBy(n int, less func(i, j int) bool, swap func(i, j int)) {
	sorted := true
	for i := 1; i < n && sorted; i++ {
		sorted = !less(i, i-1)
	}
	if sorted {
		return
	}
	for i := n/2 - 1; i >= 0; i-- {
		sink(i, n, less, swap)
	}
	for end := n - 1; end > 0; end-- {
		swap(0, end)
		sink(0, end, less, swap)
	}
}

// sink lets the element at root sink to its place in the heap of the first n elements.
func sink(root, n int, less func(i, j int) bool, swap func(i, j int)) {
	for {
		child := 2*root + 1
		if child >= n {
			return
		}
		if child+1 < n && less(child, child+1) {
			child++
		}
		if !less(root, child) {
			return
		}
		swap(root, child)
		root = child
	}
}

// sort sorts the pairs by their keys.
func (m Map) sort() {
	sortBy(len(m), func(i, j int) bool { return m[i].Key < m[j].Key }, func(i, j int) { m[i], m[j] = m[j], m[i] })
}

// SortStrings sorts in ascending order of bytes, with less code than package slices.
func SortStrings(list []string) {
	sortBy(len(list), func(i, j int) bool { return list[i] < list[j] }, func(i, j int) { list[i], list[j] = list[j], list[i] })
}
