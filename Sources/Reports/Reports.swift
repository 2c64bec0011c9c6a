// Placeholder of Reports.
