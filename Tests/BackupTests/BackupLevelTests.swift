import Backup
import Testing

@Suite struct BackupLevelTests {
  @Test func wordsOfTheCommandLine() {
    #expect(BackupLevel.allCases.map(\.rawValue) == ["structure", "content", "restore"])
  }
}
