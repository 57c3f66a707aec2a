package shellsession

// LimitsMemory reports whether memory can be limited.
const LimitsMemory = false
