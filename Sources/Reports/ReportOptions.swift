import Diagnostics
import Foundation

/// What reports need to know about the run and its surroundings.
public struct ReportOptions: Sendable {
  /// The version of the tool that found the findings.
  public var toolVersion: String
  /// The tool's page on the web, an absolute address; nil when there is none.
  public var informationURI: String?
  /// What stands before a code's `helpPath` to make an address, with its last `/`; nil when there is no such place.
  public var helpBase: String?
  /// The folder that relative file names start from, and that reports name files relative to.
  public var workingDirectory: String
  /// The least severity that fails the run; nil when nothing does.
  public var failOn: Severity?
  /// Whether a terminal with colours shows the report.
  public var colour: Bool
  /// How many columns a line of source text may take in a code frame.
  public var width: Int
  /// When the run began.
  public var started: Date
  /// The name of the machine that JUnit reports ask for.
  public var hostname: String
  /// How many bytes are collected before the sink gets them; 0 hands over each finding at once.
  public var flushEvery: Int

  /// Makes options; what is not given suits a run in the current folder that fails on errors.
  public init(
    toolVersion: String, informationURI: String? = nil, helpBase: String? = nil,
    workingDirectory: String = FileManager.default.currentDirectoryPath, failOn: Severity? = .error,
    colour: Bool = false, width: Int = 100, started: Date = Date(), hostname: String = "localhost",
    flushEvery: Int = 1 << 15
  ) {
    self.toolVersion = toolVersion
    self.informationURI = informationURI
    self.helpBase = helpBase
    self.workingDirectory = workingDirectory
    self.failOn = failOn
    self.colour = colour
    self.width = width
    self.started = started
    self.hostname = hostname
    self.flushEvery = flushEvery
  }

  /// Whether a finding of this severity fails the run.
  func fails(_ severity: Severity) -> Bool { failOn.map { severity >= $0 } ?? false }
}
