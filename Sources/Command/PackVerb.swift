import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack`: the commands for packs only.
struct PackVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build, sign and verify content packs.",
    discussion: """
      A pack is content with a name, a version, a publisher and a licence, in one file. Signatures have minisign's \
      format (Ed25519 over the whole file): minisign can verify them, and FleetKit can verify those made by minisign.

      EXAMPLES
        fleetkit pack build vault/ --to first-charter.fleetpack
        fleetkit pack keygen --to publisher   once, to make your keys
        fleetkit pack sign first-charter.fleetpack --key publisher.key
        fleetkit pack verify first-charter.fleetpack --trust publisher.pub
      """,
    subcommands: [PackBuildVerb.self, PackKeygenVerb.self, PackSignVerb.self, PackVerifyVerb.self])
}

/// `fleetkit pack verify`.
struct PackVerifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify that a pack is authentic, unchanged, and a successor of the version that you have.",
    discussion: """
      With --trust, the file must be signed by one of the keys. With --previous, it must be a successor of the version \
      that you have: an older version is a downgrade, and a different file with the same version is a fork. Then every \
      checksum inside is checked. Any mismatch exits with 5. In an unsigned pack only the checksums can be checked.

      EXAMPLES
        fleetkit pack verify first-charter.fleetpack --trust publisher.pub
        fleetkit pack verify new.fleetpack --trust publisher.pub \\
            --previous old.fleetpack
        fleetkit pack verify first-charter.fleetpack   check only the checksums

      EXIT STATUS
        0   everything matches
        2   the file cannot be read, or is not a pack
        5   mismatch: signature, key, version or checksum
        6   a newer FleetKit is needed
        64  wrong usage
      """)

  @Argument(help: "The pack.", completion: .file())
  var file: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A trusted public key: a file, or the key itself. May be repeated.", valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("The file of the version that you have.", valueName: "old"), completion: .file())
  var previous: String?

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    var verifier = PackVerifier(file)
    verifier.trusted = try trust.map { try MinisignKey($0) }
    verifier.previous = previous
    verifier.onProgress = output.quiet ? nil : Progress("").reading("Verifying \(file)")
    let report = try verifier.run()
    Progress.clear()
    try output.print(PackVerificationReport(report, file: file))
  }
}

/// The previous version of a pack.
struct PreviousVersion: Encodable {
  let version, sha256: String

  init(_ previous: PackPrevious) { (version, sha256) = (previous.version.text, previous.sha256) }
}

/// The report of `pack verify`.
private struct PackVerificationReport: Report {
  let command = "pack verify"
  let status = ExitStatus.success
  let file: String
  let sha256, name, version, publisher: String?
  let signed: Bool
  let keyID, trustedComment: String?
  let previous: PreviousVersion?
  let againstPrevious: String?
  let files, bytes: Int
  let notes: [String]
  let findings: [FindingJSON]
  @TextOnly var report: PackVerifier.Report

  init(_ report: PackVerifier.Report, file: String) {
    let signature = report.signature
    (self.file, sha256, name, version) = (file, report.sha256, report.info?.name, report.info?.version?.text)
    (publisher, signed, keyID) = (report.info?.publisher, signature != nil, signature?.key.id)
    trustedComment = signature?.signature.trustedComment
    previous = (signature?.comment?.previous ?? report.info?.parent).map(PreviousVersion.init)
    againstPrevious = report.step.map { $0 == .same ? "same" : "newer" }
    (files, bytes, notes) = (report.bag.files, report.bag.bytes, report.notes)
    findings = report.bag.findings.map { FindingJSON($0) }
    self.report = report
  }

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return }
    let what = report.info.map { "\($0.name) \($0.version?.text ?? "without a version")" } ?? "a bag"
    Terminal.report(
      "Verified \(TerminalEscaping.escape(file)): \(what), \(files == 1 ? "1 file" : "\(files) files"), "
        + "all checksums match."
    )
    if let keyID {
      Terminal.report("  signed by key \(keyID), which you trust")
      if let publisher { Terminal.report("  publisher: \(TerminalEscaping.escape(publisher))") }
      Terminal.report("  trusted comment: \(TerminalEscaping.escape(trustedComment ?? ""))")
    }
    switch report.step {
    case .same: Terminal.report("  the same version that you have")
    case .newer: Terminal.report("  a successor of the version that you have")
    case nil: break
    }
    for note in notes { Terminal.report("  note: \(TerminalEscaping.escape(note))") }
    for finding in report.bag.findings {
      Terminal.report("  \(TerminalEscaping.escape("\(finding.place): \(finding.message)"))")
    }
  }
}

/// `fleetkit pack sign`.
struct PackSignVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Sign a pack: write FILE.minisig, which proves the publisher, the version and its predecessor.",
    discussion: """
      The pack is verified first, and is not signed if it is not sound (exit 5). The previous version is given with \
      --previous or named by the pack; if both name one, they must agree. Signing again replaces FILE.minisig \
      with the same bytes. Use keys from 'fleetkit pack keygen' or 'minisign -G'.

      EXAMPLES
        fleetkit pack sign first-charter-1.0.0.fleetpack --key publisher.key
        fleetkit pack sign first-charter-1.1.0.fleetpack --key publisher.key \\
            --previous first-charter-1.0.0.fleetpack

      EXIT STATUS
        0   signed
        2   a file cannot be read or written, or is not a pack
        4   FILE.minisig exists and is not a signature
        5   the pack is not sound, or does not follow the previous version
        6   a newer FleetKit is needed
        64  wrong usage
      """)

  @Argument(help: "The pack, as one file.", completion: .file())
  var file: String

  @Option(
    name: [.customLong("key"), .customShort("s")],
    help: ArgumentHelp("The secret key (default: ~/.fleetkit/minisign.key).", valueName: "secret"),
    completion: .file())
  var key: String?

  @Option(
    name: .long, help: ArgumentHelp("The file of the previous version.", valueName: "old"), completion: .file())
  var previous: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Another public key that may have signed the previous version, if you changed keys.", valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @OptionGroup var password: PasswordOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let trusted = try trust.map { try MinisignKey($0) }
    let path = key ?? NSHomeDirectory() + "/.fleetkit/minisign.key"
    let secret = try MinisignSecretKey.read(path) { try password.existing(for: path) }
    var signer = PackSigner(file, key: secret)
    signer.previous = previous
    signer.trusted = trusted
    signer.onProgress = output.quiet ? nil : Progress("").reading("Signing \(file)")
    let report = try signer.run()
    Progress.clear()
    let comment = report.comment
    try output.print(
      SignatureReport(
        file: file, signature: report.path, keyID: secret.publicKey.id, name: comment.name,
        version: comment.version.text, sha256: report.pack.fingerprint.sha256, trustedComment: comment.text,
        previous: comment.previous.map(PreviousVersion.init),
        unsignedPrevious: report.isPreviousUnsigned ? previous : nil))
  }
}

/// The report of `pack sign`.
private struct SignatureReport: Report {
  let command = "pack sign"
  let status = ExitStatus.success
  let file, signature, keyID, name, version, sha256, trustedComment: String
  let previous: PreviousVersion?
  @TextOnly var unsignedPrevious: String?

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return }
    let follows = previous.map { ", which follows \($0.version)" } ?? ", the first version"
    Terminal.report("Signed \(name) \(version)\(follows), with key \(keyID).")
    if let unsignedPrevious {
      Terminal.report("\(TerminalEscaping.escape(unsignedPrevious)) is not signed; it is identified by its SHA-256.")
    }
    Terminal.report(TerminalEscaping.escape(signature))
  }
}

/// `fleetkit pack keygen`.
struct PackKeygenVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Generate a key pair for signing packs.",
    discussion: """
      Writes the secret key to NAME.key, readable only by you, and the public key to NAME.pub. If NAME is a folder, \
      the files are minisign.key and minisign.pub in it (default: ~/.fleetkit). Existing files are never overwritten. \
      Both files have minisign's format. On a terminal you are asked for a password; otherwise it is read from \
      --password-file or FLEETKIT_PASSWORD. Without a password the secret key is not encrypted.

      EXAMPLES
        fleetkit pack keygen --to publisher
        fleetkit pack keygen --secret publisher.key --public publisher.pub \\
            --no-password
      """)

  @Argument(help: ArgumentHelp("The names of the files, without extension.", valueName: "name"), completion: .file())
  var name: String?

  @Option(
    name: [.customLong("to"), .customShort("o")], help: ArgumentHelp("The same as NAME.", valueName: "name"),
    completion: .file())
  var to: String?

  @Option(name: .long, help: ArgumentHelp("The secret key's file.", valueName: "file"), completion: .file())
  var secret: String?

  @Option(name: .long, help: ArgumentHelp("The public key's file.", valueName: "file"), completion: .file())
  var `public`: String?

  @Flag(name: .long, help: "Do not encrypt the secret key with a password.")
  var noPassword = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if name != nil, to != nil { throw ValidationError("Give either NAME or --to NAME, not both.") }
    if name ?? to != nil, secret != nil, `public` != nil {
      throw ValidationError("NAME cannot be used with both --secret and --public.")
    }
    if noPassword, password.passwordFile != nil {
      throw ValidationError("--no-password cannot be used with --password-file.")
    }
  }

  func run() throws {
    let pair = try files()
    let word = noPassword ? nil : try password.new(for: pair.secret)
    let key = try pair.generate(password: word)
    try output.print(
      KeyReport(
        secret: pair.secret, public: pair.public, keyID: key.id, key: key.text, password: word != nil,
        couldNotAsk: word == nil && !noPassword))
  }

  private func files() throws -> MinisignKeyPair {
    var pair: MinisignKeyPair
    if let name = name ?? to ?? secret ?? `public` {
      pair = MinisignKeyPair(named: name)
    } else {
      pair = MinisignKeyPair(named: try PasswordOptions.homeFolder() + "/")
    }
    pair = MinisignKeyPair(secret: secret ?? pair.secret, public: `public` ?? pair.public)
    return pair
  }
}

/// The report of `pack keygen`.
private struct KeyReport: Report {
  let command = "pack keygen"
  let status = ExitStatus.success
  let secret, `public`, keyID, key: String
  let password: Bool
  @TextOnly var couldNotAsk: Bool

  func render(_ output: OutputOptions) {
    if !output.quiet {
      Terminal.report("Generated key \(keyID).")
      Terminal.report("  \(TerminalEscaping.escape(secret))  keep it secret, and make a copy: it cannot be restored")
      Terminal.report("  \(TerminalEscaping.escape(`public`))  publish it; it contains this line:")
      if couldNotAsk {
        Terminal.report(
          "warning: the secret key has no password, because there is no terminal to ask for one "
            + "(use --password-file or FLEETKIT_PASSWORD).")
      }
    }
    Terminal.print(key)
  }
}

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
      Terminal.report("")
    }
    FileHandle.standardError.write(Data(TerminalEscaping.escape(question).utf8))
    guard let line = readLine() else { throw RunFailure(.refused, "ask for a password: no password was entered") }
    return Array(line.utf8)
  }

  /// Returns `~/.fleetkit`, the default folder for keys. Creates it if necessary, accessible to its owner only.
  fileprivate static func homeFolder() throws -> String {
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
