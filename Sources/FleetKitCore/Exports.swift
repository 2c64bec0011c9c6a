// Exports everything that an app needs to read and write content with one import: the layers up to the two formats that
// depend only on SQLite.
@_exported import Content
@_exported import Diagnostics
@_exported import Interchange
@_exported import JSONBundle
@_exported import JSONText
@_exported import Publishing
@_exported import SQLiteLibrary
@_exported import Validation
