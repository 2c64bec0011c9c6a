import FleetKit

/// Tests archives: their listing and content, and bags in them. A file without an archive's signature is treated as a
/// tar archive.
struct ArchiveTarget: FuzzTarget {
  private let workspace: Workspace
  /// Limits that are smaller than `ArchiveLimits.standard`, because files that unpack to a large size would only make
  /// fuzzing slow.
  private let limits = {
    var limits = ArchiveLimits()
    limits.freeBytes = 1 << 20
    limits.ratio = 50
    return limits
  }()

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    let isPacked = ArchiveKind.of(input) != nil
    let path = workspace.write("archive", isPacked ? input : PackedBytes.gzip(input))
    attempt {
      let reader = try ArchiveReader(path, limits: limits)
      while let entry = try reader.next() {
        for part in entry.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        where part.isEmpty || part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) {
          finding("the name '\(entry.path)' leads outside")
        }
        try reader.read { _ in }
      }
    }
    for level in BagCheck.Level.allCases { attempt { try BagCheck(path, level: level).run(limits: limits) } }
    attempt {
      let image = try BagImage(path, limits: limits)
      for index in image.members.indices where image.bytes(of: index).count != image.members[index].size {
        finding("a member's size")
      }
    }
  }
}

/// Tests packs and backups with valid checksums, so that their content is read. The input is a list of files
/// (`PackedBytes`).
struct PackTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    let path = workspace["pack.zip"]
    // The writer accepts only payload files; the archive target tests other paths.
    let files = PackedBytes.files(input).filter { $0.name.hasPrefix("data/") }
    guard let head = files.first else { return }
    let written: Void? = attempt {
      let writer = try BagWriter(path, kind: .zip, overwrites: true)
      var isFinished = false
      defer { if !isFinished { writer.abort() } }
      for file in files.dropFirst() {
        _ = try writer.add(file.name, file.bytes.span)
      }
      try writer.prepare(first: (head.name, head.bytes), info: BagInfo())
      _ = try writer.finish()
      isFinished = true
    }
    guard written != nil else { return }
    _ = Reading(path, format: "fleetpack")
    for level in [BackupLevel.structure, .content] { attempt { try PackVerification(path, level: level).run() } }
  }
}

/// Tests workbooks: whole ones, and lists of archive members (`PackedBytes`) that are put into a valid archive.
struct WorkbookTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    let isPacked = ArchiveKind.of(input) != nil
    _ = Reading(
      workspace.write("x.xlsx", isPacked ? input : PackedBytes.zip(PackedBytes.files(input))), format: "xlsx")
  }
}
