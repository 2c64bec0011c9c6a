import Content
import Foundation
import Interchange
import JSONText

/// Writes checklists as Todoist templates: a single checklist to a file, or any number of them to a new folder.
///
/// A file holds one checklist, because a template is one project. A folder gets its final name when all files are
/// complete.
final class TodoistWriter: ContentWriter {
  private let target: Target
  private let text: TodoistRenderer
  private let losses: LossLog
  /// The file or standard output; nil for folders.
  private let file: OutputFile?
  /// The temporary folder next to the target, which is being filled; nil for files.
  private let filling: StagedFolder?
  private var names: Set<String> = []
  private var count = 0
  private var size = 0

  /// Creates a target.
  /// - Throws: `RunFailure` with status 4 when a file or folder of that name exists.
  init(_ target: Target, delimiter: UInt8, losses: LossLog) throws {
    self.target = target
    self.losses = losses
    text = TodoistRenderer(delimiter: delimiter, losses: losses)
    if target.isFolder {
      file = nil
      filling = try StagedFolder(target)
    } else {
      file = try OutputFile(target)
      filling = nil
    }
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      guard case .item(let item)? = try? TypedRecord(record), let checklist = item.content?.checklist else {
        losses.record(record.kind, id: record.id, field: "", reason: .notAList)
        tally[record.kind].skipped[.notAList, default: 0] += 1
        continue
      }
      count += 1
      try loseMembers(of: record)
      if filling == nil, count > 1 {
        throw RunFailure(
          .refused, "write '\(target.path)': a Todoist template is one project, but there are several checklists",
          advice: "Specify a folder, such as '\(Self.stem(target.path))/', or one checklist with --id or --title.")
      }
      if let filling {
        let name = name(of: item.title)
        let bytes = text.text(of: item, checklist, project: name)
        if !name.utf8.elementsEqual(item.title.utf8) { loseTitle(of: item) }
        let written = try AtomicFile("\(filling.path)/\(name).csv", overwrites: false)
        try write(bytes.bytes, to: written.descriptor)
        size += try written.publish()
      } else if let file {
        let stem = Self.stem(target.path).utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        let name = target.isStandardOutput ? "" : String(decoding: stem, as: UTF8.self)
        let bytes = text.text(of: item, checklist, project: name)
        if !name.utf8.elementsEqual(item.title.utf8) { loseTitle(of: item) }
        try write(bytes.bytes, to: file.descriptor)
      }
      tally[.item].created += 1
    }
  }

  /// The members that `TodoistRenderer` reads. A project cannot hold any other members.
  private static let known: Set<String> = [
    "kind", "id", "content_type", "title", "description", "tags", "language", "created_at", "updated_at",
    "content_data",
  ]
  private static let knownInside: Set<String> = [
    "id", "title", "description", "tags", "checklistType", "sections", "createdAt", "updatedAt",
  ]

  /// Reports the members of an item and its document that have a value and are lost.
  private func loseMembers(of record: Record) throws {
    func lose(_ object: JSONNode, _ shape: Shape, _ known: Set<String>, _ path: String) {
      object.forEachMember(of: shape, beyond: known) { name, value in
        // A document's status is always the status of its item.
        guard let name = name.string, name != "syncStatus" || !value.equals("pending") else { return }
        losses.record(
          record.kind, id: record.id, field: path + JSONPointer([.member(name)]).description, reason: .project)
      }
    }
    try record.document().withRoot { root in
      lose(root, Shapes.item, Self.known, "")
      if let document = root.member("content_data") {
        lose(document, Shapes.checklist, Self.knownInside, "/content_data")
      }
    }
  }

  private func loseTitle(of item: LibraryItem) {
    losses.record(.item, id: item.id, field: "/title", reason: .projectTitle)
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) throws {
    let sink = ByteSink(descriptor: descriptor, name: target.path)
    try sink.write(bytes)
    try sink.flush()
  }

  /// Returns a file's name without its extension.
  private static func stem(_ path: String) -> String {
    guard path.utf8.count > 4, path.lowercased().hasSuffix(".csv") else { return path }
    return String(path.dropLast(4))
  }

  /// Returns the file name for a title. Todoist shows the file name as the project's name, so it is kept as close to
  /// the title as possible.
  private func name(of title: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in title.unicodeScalars where scalars.count < 60 {
      let isUnfit = scalar.value < 0x20 || scalar.value == 0x7F || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
      scalars.append(isUnfit || (scalar == "." && scalars.isEmpty) ? "-" : scalar)
    }
    let plain = TaskTitle.trimmed(String(scalars))
    let base = plain.isEmpty ? "checklist" : plain
    var name = base
    var number = 1
    // Some file systems ignore the case of names.
    while !names.insert(name.lowercased().precomposedStringWithCanonicalMapping).inserted {
      number += 1
      name = "\(base) \(number)"
    }
    return name
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard count > 0 else {
      throw RunFailure(
        .refused, "write '\(target.path)': the source has no checklists; nothing was written",
        advice: "'fleetkit list' shows the source's content.")
    }
  }

  func finish() throws -> Int {
    if let filling {
      try filling.publish()
      return size
    }
    guard let file else { return 0 }
    return try file.publish()
  }

  func abort() {
    file?.discard()
    filling?.discard()
  }
}
