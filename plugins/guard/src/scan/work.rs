//! Counts the work of the scanner in tests, to show that it is linear in the size of the text.

/// Counts steps; in the plugin it is nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    #[cfg(test)]
    pub steps: usize,
}

impl Work {
    /// Counts steps.
    #[inline(always)]
    pub fn add(&mut self, steps: usize) {
        let _ = steps;
        #[cfg(test)]
        {
            self.steps += steps;
        }
    }

    /// Adds the steps of another count.
    pub fn join(&mut self, other: Work) {
        let _ = other;
        #[cfg(test)]
        self.add(other.steps);
    }
}
