import ArchiveIO
import Testing

@Suite struct ArchiveKindTests {
  @Test(arguments: [
    ("first.fleetpack", ArchiveKind.fleetpack), ("a/B.ZIP", .zip), ("x.tar.gz", .tarGzip), ("x.tgz", .tarGzip),
    ("pack/", .folder),
  ])
  func aNameSaysTheKind(name: String, kind: ArchiveKind) {
    #expect(ArchiveKind.named(name) == kind)
  }

  @Test func otherNamesSayNone() {
    #expect(ArchiveKind.named("library.sqlite") == nil)
  }
}
