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
          kept.withUnsafeBytes { hash.update($0) }
        } else {
          hash.update(bytes(number))
        }
        scan.files[number].digests.add(hash.finish(), algorithm)
      }
    }
    return scan
  }
}
