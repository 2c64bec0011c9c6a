import Diagnostics
import FleetKit
import Foundation
import JSONText
import TestSupport

/// Helpers that read a library as a conversion does.
enum Reading {
  /// Returns all findings.
  static func findings(_ path: String) throws -> [Diagnostic] { try run(path).findings }

  /// Returns all records.
  static func records(_ path: String) throws -> [JSONValue] { try run(path).records }

  static func run(_ path: String) throws -> (findings: [Diagnostic], records: [JSONValue]) {
    let context = RunContext(
      findings: DiagnosticLog(keepPerCode: .max), now: Timestamp(milliseconds: 1_767_607_872_345))
    var records: [JSONValue] = []
    try RecordScan(sources: SourceList([path])).run(context: context) { records.append(try $0.document().root) }
    return (context.findings.kept, records)
  }
}
