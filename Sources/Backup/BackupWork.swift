import ArchiveIO
import Content
import ContentPack
import Foundation
import Interchange
import JSONBundle
import SQLiteLibrary

/// One run of a backup. It first copies the library and its sidecar, and then makes everything else from these copies.
final class BackupWork {
  /// The result of the run.
  struct Made {
    let info: BackupInfo
    let bytes: Int
    let copySeconds: Double
    let fullBecause: String?
    let broken: BrokenChain?
    let changes: (put: Int, gone: Int)?
    let damagedMedia: [String]
    /// The path of the parent of an incremental backup.
    let parentPath: String?
  }

  private let plan: LibraryBackup
  private let context: RunContext
  private let folder: TemporaryFolder
  private var copySeconds = 0.0

  init(_ plan: LibraryBackup, context: RunContext) throws {
    self.plan = plan
    self.context = context
    folder = try TemporaryFolder()
  }

  func run(to target: BackupTarget) throws -> Made {
    let onProgress = plan.onProgress
    // The parent is found before anything is copied, so that a wrong name is reported immediately.
    let parent = try plan.since.map {
      try ParentBackup($0, name: plan.name, origin: LibraryOrigin.of(plan.library), target: plan.target)
    }
    if let path = parent?.path { try target.refuse([path]) }
    let began = Date()
    let copies = try SnapshotTaker(library: plan.library, patience: plan.patience).copy(into: try subfolder("copy")) {
      onProgress?("Copying the library", $0, $1)
    }
    copySeconds = Date().timeIntervalSince(began)
    let media = try MediaFolder(beside: plan.library)
    let source = Source(copies.library, name: plan.library)
    let indexPath = folder.path + "/index.jsonl"
    let context = context
    // The records are read on other processors while this one packs the copy.
    let index = Background {
      let reader = try SQLiteLibraryFormat().reader(of: source, context: context)
      return try RecordIndex(of: reader, to: indexPath)
    }
    let writer: BagWriter
    do {
      try BackupTarget.makeFolder(plan.target)
      writer = try BagWriter(
        target.path, kind: target.kind, overwrites: plan.overwrites, time: context.now.milliseconds / 1000, mode: 0o600)
    } catch {
      _ = try? index.wait()
      throw error
    }
    do {
      let body = try pack(copies, parent: parent, into: writer, for: target, index: index)
      let made = try finish(writer, copies: copies, media: media, body: body, index: try index.wait())
      return made
    } catch {
      _ = try? index.wait()
      writer.abort()
      throw error
    }
  }

  private func subfolder(_ name: String) throws -> String {
    let path = folder.path + "/" + name
    guard mkdir(path, 0o700) == 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    return path
  }

  // MARK: The library, whole or as changes

  private struct Body {
    var librarySHA256: String?
    var parent: ParentBackup.Opened?
    var fullBecause: String?
    var broken: BrokenChain?
    var changes: (put: Int, gone: Int)?
  }

  private func pack(
    _ copies: SnapshotTaker.Copies, parent: ParentBackup?, into writer: BagWriter, for target: BackupTarget,
    index: Background<RecordIndex>
  ) throws -> Body {
    var body = Body()
    if let parent {
      guard let before = try open(parent, &body) else { return try packWhole(copies, into: writer, body: body) }
      try target.refuse(before.snapshot.chain.map(\.path))
      _ = try index.wait()
      try before.belongs(to: plan.name, origin: LibraryOrigin.of(plan.library), index: folder.path + "/index.jsonl")
      plan.onProgress?("Comparing rows", 0, 0)
      let file = folder.path + "/changes.sqlite"
      switch try ChangeWriter(from: before.snapshot.library, to: copies.library).write(to: file) {
      case .impossible(let reason): body.fullBecause = reason
      case .written(let put, let gone):
        try writer.add(BackupInfo.Path.changes, file: file)
        body.parent = before
        body.changes = (put, gone)
        return body
      }
    }
    return try packWhole(copies, into: writer, body: body)
  }

  /// Assembles the parent.
  /// - Returns: Nil if there is no parent, or its chain is broken. In that case, a full backup is made, and `body` has
  ///   the reason.
  /// - Throws: `RunFailure` if the parent cannot be assembled although every file of its chain is sound.
  private func open(_ parent: ParentBackup, _ body: inout Body) throws -> ParentBackup.Opened? {
    (body.broken, body.fullBecause) = (parent.broken, parent.broken?.reason ?? parent.fullBecause)
    guard let path = parent.path else { return nil }
    let folder = try subfolder("before")
    do {
      return try ParentBackup.Opened(path, into: folder, onProgress: plan.onProgress)
    } catch let failure as RunFailure where failure.status == .mismatch || failure.status == .failed {
      // A full disk fails in the same way; in that case, no file is at fault.
      var broken = try ParentBackup.broken(path, onProgress: plan.onProgress)
      if failure.status == .mismatch, broken == nil { broken = BrokenChain(path: path, reason: failure.message) }
      guard let broken else { throw failure }
      try? FileManager.default.removeItem(atPath: folder)
      (body.broken, body.fullBecause) = (broken, broken.reason)
      return nil
    }
  }

  private func packWhole(_ copies: SnapshotTaker.Copies, into writer: BagWriter, body: Body) throws -> Body {
    var body = body
    plan.onProgress?("Packing the library", 0, 0)
    body.librarySHA256 = try writer.add(BackupInfo.Path.library, file: copies.library).sha256
    return body
  }

  // MARK: What belongs to it

  private func finish(
    _ writer: BagWriter, copies: SnapshotTaker.Copies, media: MediaFolder, body: Body, index: RecordIndex
  ) throws -> Made {
    try writer.add(BackupInfo.Path.index, file: folder.path + "/index.jsonl")
    let size = (try? FileManager.default.attributesOfItem(atPath: copies.library))?[.size] as? Int
    var info = BackupInfo(
      name: plan.name, library: (plan.library as NSString).lastPathComponent, takenAt: context.now,
      schema: try LibraryFile(copies.library, name: plan.library, checkingPages: false).schema.version,
      libraryBytes: size ?? 0, librarySHA256: body.librarySHA256, indexSHA256: index.sha256)
    info.origin = LibraryOrigin.of(plan.library)
    info.counts = index.counts
    info.unreadable = index.unreadable
    if let parent = body.parent {
      info.parent = parent.parent
      info.depth = parent.snapshot.info.depth + 1
    }
    if let state = copies.state {
      let hash = try BackupInfo.sha256(ofFile: state)
      info.stateSHA256 = hash
      if hash != body.parent?.snapshot.info.stateSHA256 { try writer.add(BackupInfo.Path.state, file: state) }
    }
    let known = Set(body.parent?.snapshot.info.media ?? [])
    var damaged: [String] = []
    for file in media.files {
      if !known.contains(file.media) {
        guard try BackupInfo.sha256(ofFile: file.path) == file.media.sha256 else {
          damaged.append(file.path)
          continue
        }
        try writer.add(BackupInfo.Path.media + file.media.sha256, file: file.path)
      }
      info.media.append(file.media)
    }
    if plan.withBundle { try addBundle(copies, to: writer) }
    plan.onProgress?("Writing the backup", 0, 0)
    try writer.prepare(
      first: (BackupInfo.Path.info, info.json),
      info: BagInfo([
        ("Bagging-Date", String(context.now.iso8601.prefix(10))), ("External-Description", "FleetKit backup"),
      ])
    )
    try Interruption.check()
    return Made(
      info: info, bytes: try writer.finish(), copySeconds: copySeconds, fullBecause: body.fullBecause,
      broken: body.broken, changes: body.changes,
      damagedMedia: damaged, parentPath: body.parent?.path)
  }

  private func addBundle(_ copies: SnapshotTaker.Copies, to writer: BagWriter) throws {
    let path = folder.path + "/bundle.jsonl"
    let source = Source(copies.library, name: plan.library)
    // Findings about the records were reported when the index was made.
    let context = RunContext(now: context.now)
    let bundle = try JSONBundleFormat(.lines).writer(to: Target(path), context: context)
    _ = try Pipeline(context: context).run(
      [{ try SQLiteLibraryFormat().reader(of: source, context: context) }], into: bundle,
      rejects: RejectsWriter(target: path, asArray: false))
    try writer.add(BackupInfo.Path.bundle, file: path)
  }
}

/// The attachments in the sidecar of a library, in the order of their hashes.
struct MediaFolder {
  /// The bytes of one attachment.
  struct File {
    /// The hash and the size of the bytes.
    let media: BackupInfo.Media
    /// The path of the file with the bytes.
    let path: String
  }

  /// The attachments.
  let files: [File]

  /// Lists the attachments in the sidecar of a library. Files whose names are not hashes are ignored.
  /// - Throws: `RunFailure` with status 4 if an entry of the sidecar folder is a link or belongs to another user.
  init(beside library: String) throws {
    guard let folder = try SidecarFolder(of: library)?.part(.media) else {
      files = []
      return
    }
    files = try folder.names.filter(MediaStore.isHash).sorted().compactMap { name in
      guard let file = try folder.file(name, O_RDONLY) else { return nil }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0 else { return nil }
      return File(media: BackupInfo.Media(sha256: name, bytes: Int(status.st_size)), path: folder.path(name))
    }
  }
}
