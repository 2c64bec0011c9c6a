// Placeholder of Validation.
