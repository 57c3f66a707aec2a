//! A set of words, walked byte by byte.

use super::work::Work;

/// A node of the trie; its index names it. The root is 0, and a parent comes before its children.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    byte: u8,
    child: u16,   // the first; 0: none
    sibling: u16, // the next; 0: none
}

/// A set of words.
#[derive(Debug)]
pub struct Trie {
    nodes: Vec<Node>,
    roots: [u16; 256], // the children of the root by their byte: most words end here
}

impl Default for Trie {
    fn default() -> Self {
        Trie { nodes: vec![Node::default()], roots: [0; 256] }
    }
}

impl Trie {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a word, and returns its node.
    ///
    /// Panics beyond 65,536 nodes, which is more than all patterns together may have bytes.
    pub fn insert(&mut self, word: &[u8]) -> u16 {
        word.iter().fold(0, |node, &byte| match self.step(node, byte, &mut Work::default()) {
            Some(child) => child,
            None => self.grow(node, byte),
        })
    }

    fn grow(&mut self, node: u16, byte: u8) -> u16 {
        let new = u16::try_from(self.nodes.len()).expect("patterns have fewer bytes than that");
        if node == 0 {
            self.roots[byte as usize] = new;
            self.nodes.push(Node { byte, ..Node::default() });
        } else {
            let sibling = self.nodes[node as usize].child;
            self.nodes[node as usize].child = new;
            self.nodes.push(Node { byte, child: 0, sibling });
        }
        new
    }

    /// The node behind one more byte.
    pub fn step(&self, node: u16, byte: u8, work: &mut Work) -> Option<u16> {
        work.add(1);
        if node == 0 {
            let child = self.roots[byte as usize];
            return (child != 0).then_some(child);
        }
        let mut child = self.nodes[node as usize].child;
        while child != 0 {
            work.add(1);
            let candidate = &self.nodes[child as usize];
            if candidate.byte == byte {
                return Some(child);
            }
            child = candidate.sibling;
        }
        None
    }

    /// The node where a walk along these bytes ends, and how many of them it takes.
    pub fn walk(&self, bytes: &[u8], work: &mut Work) -> (u16, usize) {
        let mut node = 0;
        for (n, &byte) in bytes.iter().enumerate() {
            match self.step(node, byte, work) {
                Some(child) => node = child,
                None => return (node, n),
            }
        }
        (node, bytes.len())
    }

    /// Calls with every node but the root: its parent and itself.
    pub fn each(&self, mut call: impl FnMut(u16, u16)) {
        for root in self.roots {
            if root != 0 {
                call(0, root);
            }
        }
        for (parent, node) in self.nodes.iter().enumerate() {
            let mut child = node.child;
            while child != 0 {
                call(parent as u16, child);
                child = self.nodes[child as usize].sibling;
            }
        }
    }
}
