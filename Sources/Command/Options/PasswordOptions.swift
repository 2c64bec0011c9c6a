import ArgumentParser
import FleetKit
import Foundation

/// The source of a secret key's password: a file, the environment, or a prompt on the terminal.
struct PasswordOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("Read the key's password from the first line of a file.", valueName: "file"),
    completion: .file())
  var passwordFile: String?

  /// The environment variable with the password, used if no file is named.
  static let variable = "FLEETKIT_PASSWORD"

  /// Returns the password of an existing key; nil if no password is given and there is no terminal.
  func existing(for key: String) throws -> [UInt8]? {
    if let given = try given() { return given }
    guard isatty(0) == 1 else { return nil }
    return try Self.ask("Password of \(key): ")
  }

  /// Returns a password for a new key; nil if no password is given and there is no terminal.
  func new(for key: String) throws -> [UInt8]? {
    if let given = try given() { return given }
    guard isatty(0) == 1 else { return nil }
    let word = try Self.ask("Password for \(key): ")
    guard !word.isEmpty else {
      throw RunFailure(
        .refused, "make a key: the password is empty", advice: "For a key without a password, add --no-password.")
    }
    guard try Self.ask("Repeat the password: ") == word else {
      throw RunFailure(.refused, "make a key: the passwords do not match; nothing was written", advice: "Try again.")
    }
    return word
  }

  private func given() throws -> [UInt8]? {
    if let passwordFile {
      guard let data = FileManager.default.contents(atPath: passwordFile) else {
        throw RunFailure(.usage, "read the password file '\(passwordFile)': it cannot be read")
      }
      var line = Array(data.prefix { $0 != UInt8(ascii: "\n") })
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      guard !line.isEmpty else {
        throw RunFailure(.usage, "read the password file '\(passwordFile)': its first line is empty")
      }
      return line
    }
    return ProcessInfo.processInfo.environment[Self.variable].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
  }

  /// Asks on the terminal with echo turned off.
  private static func ask(_ question: String) throws -> [UInt8] {
    var before = termios()
    guard tcgetattr(0, &before) == 0 else {
      throw RunFailure(.failed, "ask for a password: cannot turn off the terminal's echo")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &silent)
    defer {
      tcsetattr(0, TCSAFLUSH, &before)
      Terminal.say("")
    }
    FileHandle.standardError.write(Data(TerminalEscaping.escape(question).utf8))
    guard let line = readLine() else { throw RunFailure(.refused, "ask for a password: no password was entered") }
    return Array(line.utf8)
  }

  /// Returns `~/.fleetkit`, the default folder for keys. Creates it if necessary, accessible to its owner only.
  static func homeFolder() throws -> String {
    let folder = NSHomeDirectory() + "/.fleetkit"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(
        .failed, "make the folder '\(folder)': \(error.localizedDescription)",
        advice: "Choose another location with --to NAME.")
    }
    return folder
  }
}
