import Diagnostics

/// What there is to say about a vault as a whole.
struct VaultFindings {
  private let log: DiagnosticLog

  init(_ log: DiagnosticLog) { self.log = log }

  /// A name that cannot be said in UTF-8.
  func unreadableName(in folder: String) {
    log.report(
      Diagnostic(
        .notText, "a name in this folder is not UTF-8; the file was left out", at: Place(file: folder),
        fix: "rename the file"))
  }

  /// A folder whose notes are filled in to become notes.
  func templates(in folder: String) {
    log.report(
      Diagnostic(
        .aboutTheFolder, "left out: Obsidian's settings say that this folder holds templates", at: Place(file: folder),
        fix: "name the folder itself to have its notes read"))
  }

  /// Says what concerns the vault as a whole.
  func report(_ counts: NoteCounts, source: String) {
    let timesFromFile = counts.timesFromFile
    if timesFromFile > 0 {
      let what = timesFromFile == 1 ? "1 note has" : "\(timesFromFile) notes have"
      log.report(Diagnostic(.timeFromFile, "\(what) times of their files", at: Place(file: source)))
    }
    for (language, count) in counts.languages.sorted(by: { $0.key < $1.key }) {
      let what = count == 1 ? "1 note was" : "\(count) notes were"
      log.report(
        Diagnostic(.languageFromText, "\(what) taken for '\(language)' by the letters", at: Place(file: source)))
    }
  }
}
