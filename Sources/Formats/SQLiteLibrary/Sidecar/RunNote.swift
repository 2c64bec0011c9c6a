import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// What the store notes of a run when it begins.
package struct RunNote: Sendable {
  /// The command: `import`, `restore`, `apply` …
  package var command: String
  /// What the command remembers of it.
  package var detail: String?
  /// What is needed to do it again, as a JSON object; nil when it cannot be.
  package var request: String?
  /// The time that stands in for times that nobody says.
  package var now: Timestamp?
  /// The interrupted run that is done again under its own number; nil for a new one.
  package var resumes: Int64?

  package init(
    command: String, detail: String? = nil, request: String? = nil, now: Timestamp? = nil, resumes: Int64? = nil
  ) {
    self.command = command
    self.detail = detail
    self.request = request
    self.now = now
    self.resumes = resumes
  }
}

extension StateStore {
  /// Begins a run, or takes up one that was interrupted: what that one left behind is removed.
  /// - Throws: `RunFailure` when the run that is to be resumed is not there or cannot be; `SQLiteError`.
  package func begin(_ note: RunNote, in sidecar: Sidecar) throws -> Run {
    guard let id = note.resumes else {
      return try begin(note.command, detail: note.detail, request: note.request, now: note.now)
    }
    let run = try interrupted(id)
    for part in [Sidecar.Part.rejects, .backups] {
      guard let folder = try sidecar.folder.part(part) else { continue }
      for name in folder.names where name.hasPrefix(run.stamp + "-import") { folder.remove(name) }
    }
    return run
  }

  /// An interrupted run that can be done again.
  /// - Throws: `RunFailure`: 64 when there is none of that number, 4 when it was not interrupted, or when a later run
  ///   has changed the library; `SQLiteError`.
  package func interrupted(_ id: Int64) throws -> Run {
    guard let run = try run(id) else { throw Self.unknown(id) }
    guard run.state == .running || run.state == .intended else {
      let what = run.state == .void ? "it ended and changed nothing" : "it is done"
      throw RunFailure(
        .refused, "resume run \(id): \(what); only a run that was interrupted can be resumed",
        advice: "'fleetkit runs' lists what ran.")
    }
    if let later = try runs().last(where: { $0.id > id && [.done, .undone].contains($0.state) && $0.isChanging }) {
      throw RunFailure(
        .refused, "resume run \(id): run \(later.id) has changed the library since; nothing was changed",
        advice: "Give the command of run \(id) anew: it compares with what the library has now.")
    }
    return run
  }

  /// Nobody has run under this number.
  package static func unknown(_ id: Int64) -> RunFailure {
    RunFailure(.usage, "find run \(id): the library has none of that number", advice: "'fleetkit runs' lists them.")
  }
}

extension StateStore.Run {
  /// Whether something is noted of it.
  package func has(_ mark: StateStore.RunMark) -> Bool {
    detail.flatMap { try? JSONDocument(parsing: $0) }?.root[mark.rawValue]?.bool ?? false
  }

  /// The run that this one takes back; nil when it is no undo.
  package var undoes: Int64? {
    command == "undo" ? detail.flatMap { try? JSONDocument(parsing: $0) }?.root["undoes"]?.integer : nil
  }

  /// Whether the library has something of it, or had it before it was undone.
  package var isChanging: Bool {
    if state == .void || state == .running { return false }
    // Runs of older versions do not say.
    return counts.map { !$0.contains(#""changed":0,"#) } ?? true
  }
}
