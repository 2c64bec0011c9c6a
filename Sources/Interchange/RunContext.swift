import Content
import Diagnostics
import Synchronization

/// The shared state of a run's reader and writer: findings, losses, rejects and options.
public final class RunContext: Sendable {
  /// The treatment of a record that cannot be used.
  public enum OnInvalid: String, Sendable, CaseIterable {
    /// The record is put into the rejects file, and the run continues.
    case reject
    /// The run stops, and nothing is written.
    case stop
  }

  /// The limit of rejected records beyond which a run stops.
  public enum ErrorLimit: Sendable, Equatable {
    case none
    case count(Int)
    /// The percentage of the records read.
    case percent(Double)
  }

  /// The findings.
  public let findings: DiagnosticLog
  /// The losses: values that the target cannot hold.
  public let losses: LossLog
  /// The treatment of records that cannot be used.
  public let onInvalid: OnInvalid
  /// The limit of rejected records.
  public let errorLimit: ErrorLimit
  /// Whether a loss prevents writing.
  public let noLoss: Bool
  /// Whether everything but the last step is done, so that no file gets its name.
  public let dryRun: Bool
  /// The options for reading notes.
  public let reading: ReadingOptions
  /// The reasons for the classification of notes; empty unless `reading.explains` is set.
  public let explanations: ExplanationLog
  /// Notes without an id; empty unless `reading.collectsIDs` is set.
  public let noteIDs: NoteIDLog
  /// Whether a file inside a source of many files is left out. The closure receives the file's name in findings.
  public let leavesOut: @Sendable (String) -> Bool
  /// The records to use; nil for all. Readers do not report problems of other records.
  package let selection: Selection?
  /// Objects that live as long as the run: files of a source that a writer may need again.
  private let kept = Mutex<[any Sendable & AnyObject]>([])
  /// The time used in place of times that are missing in a source but required by a target.
  public let now: Timestamp

  /// Creates the context of one run.
  public init(
    findings: DiagnosticLog = DiagnosticLog(), onInvalid: OnInvalid = .reject, errorLimit: ErrorLimit = .none,
    noLoss: Bool = false, dryRun: Bool = false, reading: ReadingOptions = ReadingOptions(),
    leavesOut: @escaping @Sendable (String) -> Bool = { _ in false }, now: Timestamp
  ) {
    self.findings = findings
    self.onInvalid = onInvalid
    self.errorLimit = errorLimit
    self.noLoss = noLoss
    self.dryRun = dryRun
    self.reading = reading
    self.leavesOut = leavesOut
    self.now = now
    selection = nil
    losses = LossLog()
    explanations = ExplanationLog()
    noteIDs = NoteIDLog()
  }

  private init(_ context: RunContext, selection: Selection) {
    findings = context.findings
    losses = context.losses
    explanations = context.explanations
    noteIDs = context.noteIDs
    onInvalid = context.onInvalid
    errorLimit = context.errorLimit
    noLoss = context.noLoss
    dryRun = context.dryRun
    reading = context.reading
    leavesOut = context.leavesOut
    now = context.now
    self.selection = selection
  }

  /// Returns a context with the same options and logs, for reading only the selected records.
  package func selecting(_ selection: Selection?) -> RunContext {
    guard let selection else { return self }
    let context = RunContext(self, selection: selection)
    keep(context)
    return context
  }

  /// Keeps an object until the run is over.
  public func keep(_ object: any Sendable & AnyObject) { kept.withLock { $0.append(object) } }
}

/// Options for reading sources with an ambiguous form: notes that people wrote.
public struct ReadingOptions: Sendable {
  /// Whether a note that does not declare its type may be classified as a checklist or a deck.
  public enum Inference: String, Sendable, CaseIterable {
    /// Notes with strong evidence.
    case auto
    /// Notes that declare their type, or that are written as a list of tasks.
    case never
    /// All notes that contain a list.
    case always
  }

  /// The notes that may be classified.
  public var infer = Inference.auto
  /// Whether the run explains the classification of every note.
  public var explains = false

  /// Whether the run collects the ids derived for notes without an id, so that they can be written into the notes.
  public var collectsIDs = false

  /// Whether a reader continues after a contradiction in its source, and reports everything that is wrong. This is for
  /// checks only, never for imports.
  public var goesOn = false

  /// Whether texts with a translation are also read as decks.
  public var decks = false
  /// Whether an execution is made from each checklist with ticks.
  public var withTicks = false
  /// The user whose data is read, from a source with the data of several users; nil for all, if there is only one user.
  public var user: String?

  /// The options for reading tables.
  public var table = TableOptions()

  /// Creates the default options.
  public init() {}
}

/// The user's options for reading and writing tables.
public struct TableOptions: Sendable {
  /// Headers and their columns (`Шаг` → `item`), which take precedence over guesses.
  public var map: [(header: String, column: String)] = []
  /// The header of the column that identifies rows if there is no id column; nil for none.
  public var key: String?
  /// The meaning of a row: `steps`, `cards` or `catalogue`; nil to detect it.
  public var shape: String?
  /// Whether the first row is data like all others, and `map` and `key` name columns by their numbers.
  public var noHeader = false
  /// Whether each column is a section, with the titles of its steps below its name.
  public var matrix = false
  /// The sheet of a workbook to read; nil for all sheets with readable content.
  public var sheet: String?
  /// Whether CSV is written for Excel: with a byte order mark.
  public var excel = false
  /// The separator of cells in delimited text that is read; nil to detect it.
  public var delimiter: UInt8?
  /// The separator of cells in delimited text that is written; nil for commas, or for tabs in a `.tsv` file.
  public var writtenDelimiter: UInt8?
  /// The origin of rejected rows that are read again, and how they were read; nil for an ordinary source.
  ///
  /// Every record of such a source is partial, and its ids are those of the table that the rows were rejected from.
  public var retry: RetryOrigin?

  /// Creates the default options.
  public init() {}
}

/// A value that a target cannot hold: the record, the part of it, and the reason.
public struct Loss: Encodable, Sendable {
  /// The kind of the record.
  public let kind: RecordKind
  /// The record's id.
  public let id: String
  /// The lost value, as a JSON Pointer; empty for the whole record.
  public let field: String
  /// The reason why the target cannot hold the value.
  public let reason: LossReason
}

/// The reason why a target cannot hold a value. Only `text` turns a reason into a sentence.
public enum LossReason: Hashable, Sendable, Encodable {
  /// The whole record was left out.
  case skipped(SkipReason)

  // MARK: Libraries

  /// The app's tables have no column for the value.
  case noColumn
  /// The app's newest schema no longer has the column that the value comes from.
  case columnIsGone
  /// An older schema has no column for the value.
  case notInSchema(version: String)
  /// The recovered value is written in place of the original.
  case recovered
  /// A number with more digits than floating point holds.
  case rounded
  /// An item can only have one body.
  case secondBody
  /// The item would be public without a public id.
  case publicWithoutID
  /// Data about the publication of a private item.
  case itemIsPrivate
  /// The operation that the item waits for was not selected.
  case operationNotSelected
  /// The item's publication was not sent, and was not selected.
  case publicationNotSent

  // MARK: Bundles, notes and packs

  /// Members of a header that are unknown to FleetKit.
  case unknownHeader
  /// A bundle only holds the name and checksum of an attachment.
  case noBytesInBundle
  /// A note can only hold one item.
  case notAnItem
  /// Standard output can only hold notes.
  case noBytesInOutput
  /// The attachment's name cannot be the name of a file in a vault.
  case noFileName
  /// An attachment without a checksum.
  case noChecksum
  /// Personal data of the pack's reader: pins.
  case pins
  /// Data of the library: where and how an item is published.
  case publication
  /// Data of the pack's author: an account.
  case account
  /// Numbers that a registry counts.
  case counts
  /// How well cards are known.
  case reviews
  /// The notation of a note, and the modification time of its file.
  case typing

  // MARK: Tables and Todoist

  /// A control code that XML cannot have.
  case noCharacter
  /// A table has no column for a member.
  case noTableColumn(shape: String, member: String, noun: String)
  /// Tags that a cell cannot hold.
  case tagsInCell
  /// A second row with the same id.
  case repeatedID
  /// An item without a document.
  case noDocument
  /// Todoist only has lists of tasks.
  case notAList
  /// A Todoist project has the name of its file.
  case projectTitle
  /// Data that a project of Todoist does not have.
  case project
  /// Ids and times.
  case taskIDs
  /// A section of Todoist without a title.
  case untitledSection
  /// Data that a section of Todoist does not have.
  case section
  /// Words with @ in a title.
  case labelInTitle
  /// A label with more than one word.
  case labelOfWords
  /// A task that is optional.
  case optionalTask
  /// Data that a task of Todoist does not have.
  case task

  /// The reason as a sentence.
  public var text: String {
    switch self {
    case .skipped(let reason): reason.text
    case .noColumn: "the app's tables have no column for this value"
    case .columnIsGone: "the app's newest schema does not have this column"
    case .notInSchema(let version): "schema \(version) has no column for this value"
    case .recovered: "the recovered value is written instead of the unreadable original"
    case .rounded: "the library stores floating-point numbers, so the number is rounded"
    case .secondBody: "in the app's library, an item can have only one body"
    case .publicWithoutID: "the item would be public without a public id, and could not be withdrawn"
    case .itemIsPrivate: "the item is private"
    case .operationNotSelected: "the operation that the item waits for was not selected"
    case .publicationNotSent: "the item's publication was not sent, and was not selected"
    case .unknownHeader: "members of a header that FleetKit does not know"
    case .noBytesInBundle: "a bundle holds the name and checksum of an attachment, not its bytes"
    case .notAnItem: "a note can hold only one item"
    case .noBytesInOutput: "standard output can hold notes, but not the bytes of attachments"
    case .noFileName: "the attachment's name cannot be the name of a file in a vault"
    case .noChecksum: "an attachment without a checksum keeps its name, but not its bytes"
    case .pins: "pins are the reader's own"
    case .publication: "where and how an item is published is recorded only in its library"
    case .account: "the account of an item's owner is private"
    case .counts: "forks and ratings are counted by the registry"
    case .reviews: "how well cards are known is one person's practice"
    case .typing: "a note's notation and its file's modification time belong to its source"
    case .noTableColumn(let shape, let member, let noun):
      "a table of \(shape) has no column for '\(member)' of \(noun)"
    case .noCharacter: "XML does not have such a character"
    case .tagsInCell: "a cell cannot hold tags that contain semicolons, have blanks around them or are empty"
    case .repeatedID: "a table identifies rows by their ids, and this id is already used"
    case .noDocument: "a table cannot distinguish an item without a document from an empty one"
    case .notAList: "Todoist only has lists of tasks"
    case .projectTitle: "Todoist names a project after its file"
    case .project: "a Todoist project only has a title, sections and tasks"
    case .taskIDs: "Todoist does not keep FleetKit's ids and times"
    case .untitledSection: "a Todoist section must have a title"
    case .section: "a Todoist section only has a title"
    case .labelInTitle: "Todoist reads words with @ in a title as labels"
    case .labelOfWords: "a Todoist label is one word"
    case .optionalTask: "a Todoist task cannot be optional"
    case .task: "a Todoist task cannot hold other members"
    }
  }

  /// Encodes the reason as a sentence.
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// The losses of a run. All losses are counted, and the first ones of each reason are kept in full.
public final class LossLog: Sendable {
  private struct State {
    var kept: [Loss] = []
    var counts: [LossReason: Int] = [:]
    var order: [LossReason] = []
    var observer: (@Sendable (Loss) -> Void)?
  }

  private let state = Mutex(State())
  private let keepPerReason = 200

  /// Creates an empty log.
  public init() {}

  /// Adds a loss.
  public func record(_ kind: RecordKind, id: String, field: String, reason: LossReason) {
    state.withLock { state in
      let seen = state.counts[reason, default: 0]
      if seen == 0 { state.order.append(reason) }
      state.counts[reason] = seen + 1
      state.observer?(Loss(kind: kind, id: id, field: field, reason: reason))
      if seen < keepPerReason {
        state.kept.append(Loss(kind: kind, id: id, field: field, reason: reason))
      }
    }
  }

  /// Calls the observer with every loss from now on, including losses that are not kept. Calls are made on the
  /// reporting thread, one at a time.
  package func observe(_ observer: (@Sendable (Loss) -> Void)?) { state.withLock { $0.observer = observer } }

  /// The number of losses.
  public var total: Int { state.withLock { $0.counts.values.reduce(0, +) } }

  /// The losses that were kept in full.
  public var kept: [Loss] { state.withLock { $0.kept } }

  /// Every reason with its number of losses, in the order of their first occurrence.
  public var byReason: [(reason: LossReason, count: Int)] {
    state.withLock { state in state.order.map { ($0, state.counts[$0] ?? 0) } }
  }
}

/// Notes without an id, and the ids of their records, for users who want them written into the notes.
public final class NoteIDLog: Sendable {
  private struct State {
    var notes: [(file: String, id: String)] = []
    var renamed: [String: String] = [:]
    var placeBound: Set<String> = []
  }

  private let state = Mutex(State())

  /// Creates an empty log.
  public init() {}

  /// Adds a note.
  /// - Parameters:
  ///   - file: the path of the note.
  ///   - hangsOnPlace: whether the id changes if the vault is moved.
  public func add(_ file: String, id: String, hangsOnPlace: Bool) {
    state.withLock { state in
      state.notes.append((file, id))
      if hangsOnPlace { state.placeBound.insert(id) }
    }
  }

  /// Adds the notes that another run collected.
  public func add(contentsOf other: NoteIDLog) {
    let (notes, placeBound) = other.state.withLock { ($0.notes, $0.placeBound) }
    state.withLock { state in
      state.notes += notes
      state.placeBound.formUnion(placeBound)
    }
  }

  /// The ids, as in the source, that change if the vault is moved.
  public var placeBound: Set<String> { state.withLock { $0.placeBound } }

  /// Records that a record was imported into a library under another id.
  public func rename(_ id: String, to target: String) { state.withLock { $0.renamed[id] = target } }

  /// The notes with the final ids of their records, in the order of reading.
  public var all: [(file: String, id: String)] {
    state.withLock { state in state.notes.map { ($0.file, state.renamed[$0.id] ?? $0.id) } }
  }
}

/// The reason for the classification of a note.
public struct Explanation: Sendable {
  /// One piece of evidence.
  public struct Reason: Sendable {
    /// A short description of the evidence: `14 of 16 lines are steps`.
    public let text: String
    /// The weight of the evidence; positive for evidence in favour of the classification.
    public let weight: Int
    /// The line of the evidence; nil for evidence from the whole note, its name or its folder.
    public let line: Int?

    /// Creates a reason.
    public init(_ text: String, weight: Int, line: Int? = nil) {
      self.text = text
      self.weight = weight
      self.line = line
    }
  }

  /// The note's file.
  public let file: String
  /// The classification of the note.
  public let takenFor: String
  /// The certainty in percent; 100 if the note declares its type.
  public let certainty: Int
  /// The evidence, with the greatest weight first.
  public let reasons: [Reason]

  /// Creates an explanation.
  public init(file: String, takenFor: String, certainty: Int, reasons: [Reason]) {
    self.file = file
    self.takenFor = takenFor
    self.certainty = certainty
    self.reasons = reasons
  }
}

/// Explanations in the order in which they were added; kept only for runs that print them.
public final class ExplanationLog: Sendable {
  private let state = Mutex<[Explanation]>([])

  /// Creates an empty log.
  public init() {}

  /// Adds an explanation.
  public func add(_ explanation: Explanation) { state.withLock { $0.append(explanation) } }

  /// All explanations.
  public var all: [Explanation] { state.withLock { $0 } }
}
