import Foundation
import Interchange

/// The content of a bag: every file with its size and checksums, and the bytes of the tag files.
///
/// The archive is read once. The required checksums are known only after a manifest has been read. If a manifest comes
/// after files and uses an algorithm other than SHA-256, these files lack the checksums for it.
struct BagScan {
  /// A file that was found.
  struct File {
    /// The path in the bag, without a folder around the bag.
    var path: String
    /// The size in bytes.
    var size: Int
    /// The checksums; empty if the file was not hashed.
    var digests = DigestSet()
  }

  /// All files, in the order of the archive.
  var files: [File] = []
  /// The bytes of `bagit.txt`, `bag-info.txt`, `fetch.txt` and the manifests.
  private(set) var tagFiles: [String: [UInt8]] = [:]
  /// Whether the bag has a folder `data`.
  private(set) var hasPayloadFolder = false

  /// The largest total size of all tag files in bytes.
  static let tagFileBytes = 48 << 20

  /// Reads a bag.
  /// - Parameters:
  ///   - always: checksums that are computed regardless of the manifests.
  ///   - hashesPayload: whether payload files are read and hashed.
  ///   - onBytes: receives the bytes of every payload file, with the file's index and its path in the archive.
  init(
    _ path: String, limits: ArchiveLimits, always: Set<DigestAlgorithm> = [], hashesPayload: Bool = true,
    onProgress: ((Int, Int?) -> Void)?, onBytes: (Int, String, Span<UInt8>) throws -> Void = { _, _, _ in }
  ) throws {
    let reader = try ArchiveReader(path, limits: limits)
    var seen = Set(reader.knownNames.compactMap(Self.algorithm))
    let hashes = Dictionary(uniqueKeysWithValues: DigestAlgorithm.allCases.map { ($0, StreamingDigest($0)) })
    var tagBytes = 0
    var lastSaid = 0
    while let entry = try reader.next() {
      let number = files.count
      var file = File(path: entry.path, size: entry.size ?? 0)
      let isPayload = Self.isPayload(entry.path)
      let isTagFile = !isPayload && Self.isTagFile(entry.path)
      if let algorithm = Self.algorithm(entry.path) { seen.insert(algorithm) }
      if isPayload, !hashesPayload {
        files.append(file)
        continue
      }
      let wanted = (seen.isEmpty ? [.sha256] : seen).union(always)
      let active = wanted.compactMap { hashes[$0] }
      var kept: [UInt8] = []
      try reader.read { bytes in
        for hash in active { hash.update(bytes) }
        if isTagFile {
          tagBytes += bytes.count
          guard tagBytes <= Self.tagFileBytes else {
            throw RunFailure(
              .failed, "read '\(path)!\(entry.path)': refused: its tag files have more than \(Self.tagFileBytes) bytes")
          }
          bytes.withUnsafeBytes { kept.append(contentsOf: $0) }
        } else {
          try onBytes(number, entry.path, bytes)
        }
        if let onProgress {
          let progress = reader.progress
          if progress.done - lastSaid > 4 << 20 {
            lastSaid = progress.done
            onProgress(progress.done, progress.total)
          }
        }
      }
      for hash in active { file.digests.add(hash.finish(), hash.algorithm) }
      if isTagFile { tagFiles[entry.path] = kept }
      files.append(file)
    }
    if let onProgress { onProgress(reader.progress.done, reader.progress.total) }
    hasPayloadFolder = reader.dataFolders.contains("data")
    removeOuterFolder(reader.dataFolders)
  }

  /// Removes from all paths the outer folder that many tools put around a bag.
  private mutating func removeOuterFolder(_ folders: Set<String>) {
    guard tagFiles["bagit.txt"] == nil, let first = files.first?.path, let outer = Self.firstPart(first),
      tagFiles[outer + "/bagit.txt"] != nil
    else { return }
    let prefix = Array((outer + "/").utf8)
    guard files.allSatisfy({ $0.path.utf8.starts(with: prefix) }) else { return }
    func inner(_ path: String) -> String { String(decoding: path.utf8.dropFirst(prefix.count), as: UTF8.self) }
    for index in files.indices { files[index].path = inner(files[index].path) }
    tagFiles = Dictionary(uniqueKeysWithValues: tagFiles.map { (inner($0.key), $0.value) })
    hasPayloadFolder = folders.contains(outer + "/data")
  }

  /// Returns whether a file is in the folder `data` of the bag, or of a bag in an outer folder.
  private static func isPayload(_ path: String) -> Bool {
    if path.utf8.starts(with: "data/".utf8) { return true }
    guard let outer = firstPart(path) else { return false }
    return path.utf8.dropFirst(outer.utf8.count + 1).starts(with: "data/".utf8)
  }

  /// Returns whether a file is a tag file that BagIt defines, in the bag or in a bag in an outer folder. The bytes of
  /// these files are kept.
  private static func isTagFile(_ path: String) -> Bool {
    let name = lastPart(path)
    guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= 1 else { return false }
    return ["bagit.txt", "bag-info.txt", "package-info.txt", "fetch.txt"].contains(name) || isManifest(name)
  }

  /// Returns whether a file has the name of a manifest.
  static func isManifest(_ name: String) -> Bool {
    (name.hasPrefix("manifest-") || name.hasPrefix("tagmanifest-")) && name.hasSuffix(".txt")
  }

  /// Returns the checksum algorithm that a manifest's name states.
  static func algorithm(_ path: String) -> DigestAlgorithm? {
    guard !isPayload(path) else { return nil }
    let name = lastPart(path)
    guard isManifest(name), let dash = name.firstIndex(of: "-") else { return nil }
    return DigestAlgorithm(rawValue: name[name.index(after: dash)...].dropLast(4).lowercased())
  }

  private static func firstPart(_ path: String) -> String? {
    path.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
  }

  private static func lastPart(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}

extension BagScan {
  /// The checksum algorithms of the bag's manifests.
  var needed: Set<DigestAlgorithm> { Set(tagFiles.keys.compactMap { Self.algorithm($0) }) }

  /// Whether a file lacks a checksum because the manifest that needs it came later in the archive.
  var lacksDigests: Bool {
    let needed = needed
    return files.contains { file in needed.contains { file.digests[$0] == nil } }
  }

  /// Returns the scan completed with the missing checksums, which are computed from bytes that were read before.
  func hashing(_ bytes: (Int) -> UnsafeRawBufferPointer) -> BagScan {
    var scan = self
    for algorithm in needed {
      let hash = StreamingDigest(algorithm)
      for number in files.indices where files[number].digests[algorithm] == nil {
        if let kept = tagFiles[files[number].path] {
          hash.update(kept.span)
        } else {
          hash.update(bytes(number).assumingMemoryBound(to: UInt8.self).span)
        }
        scan.files[number].digests.add(hash.finish(), algorithm)
      }
    }
    return scan
  }
}
