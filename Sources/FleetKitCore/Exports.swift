// What an app needs to read, write and understand content: one import for the floors up to the two formats
// that have no dependency but SQLite.
@_exported import Content
@_exported import Diagnostics
@_exported import Interchange
@_exported import JSONBundle
@_exported import JSONText
@_exported import Publishing
@_exported import SQLiteLibrary
@_exported import Validation
