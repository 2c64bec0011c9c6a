// Placeholder of Configuration.
