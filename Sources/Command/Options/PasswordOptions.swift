import ArgumentParser
import FleetKit
import Foundation

/// Where the password of a secret key comes from: a file, the environment, or whoever sits at the terminal.
struct PasswordOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("Take the key's password from the first line of a file.", valueName: "file"),
    completion: .file())
  var passwordFile: String?

  /// The variable that holds a password when no file is named.
  static let variable = "FLEETKIT_PASSWORD"

  /// The password of a key that is there; nil when nobody says it.
  func existing(for key: String) throws -> [UInt8]? {
    if let given = try given() { return given }
    guard isatty(0) == 1 else { return nil }
    return try Self.ask("Password of \(key): ")
  }

  /// A password for a new key; nil when nobody is there to ask.
  func new(for key: String) throws -> [UInt8]? {
    if let given = try given() { return given }
    guard isatty(0) == 1 else { return nil }
    let word = try Self.ask("Password for \(key): ")
    guard !word.isEmpty else {
      throw RunFailure(.refused, "make a key: the password is empty", advice: "Say --no-password if none is wanted.")
    }
    guard try Self.ask("Once more: ") == word else {
      throw RunFailure(.refused, "make a key: the two passwords differ; nothing was written", advice: "Try again.")
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

  /// Asks on the terminal, which shows nothing of the answer.
  private static func ask(_ question: String) throws -> [UInt8] {
    var before = termios()
    guard tcgetattr(0, &before) == 0 else {
      throw RunFailure(.failed, "ask for a password: the terminal does not answer")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &silent)
    defer {
      tcsetattr(0, TCSAFLUSH, &before)
      Terminal.say("")
    }
    FileHandle.standardError.write(Data(TerminalText.escape(question).utf8))
    guard let line = readLine() else { throw RunFailure(.refused, "ask for a password: there was no answer") }
    return Array(line.utf8)
  }

  /// `~/.fleetkit`, where a key lies whose place nobody names; made if need be, for its owner only.
  static func homeFolder() throws -> String {
    let folder = NSHomeDirectory() + "/.fleetkit"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(.failed, "make the folder '\(folder)': \(error.localizedDescription)", advice: "Say --to NAME.")
    }
    return folder
  }
}
