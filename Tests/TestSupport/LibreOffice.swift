import Foundation

/// LibreOffice without its windows, if it is installed. Tests do not require its installation.
public enum LibreOffice {
  private static let program = ["soffice", "libreoffice"].first { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  /// Whether tests that need LibreOffice run.
  public static let isThere = program != nil

  /// Converts a file into a folder inside the scratch folder.
  public static func convert(_ path: String, to filter: String, in scratch: Scratch, folder: String = "") throws {
    let answer = try Shell.run(
      program ?? "soffice",
      [
        "-env:UserInstallation=file://" + scratch["profile"], "--headless", "--convert-to", filter, "--outdir",
        folder.isEmpty ? scratch.path : scratch[folder], path,
      ])
    guard answer.status == 0 else { throw CocoaError(.fileReadUnknown) }
  }
}
