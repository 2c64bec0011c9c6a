import Content
import Diagnostics
import Synchronization

/// What a run shares between its reader and its writer: findings, losses, rejects and options.
public final class RunContext: Sendable {
  /// What to do with a record that cannot be used.
  public enum OnInvalid: String, Sendable, CaseIterable {
    /// Put it into the rejects file and go on.
    case reject
    /// Stop; nothing is written.
    case stop
  }

  /// When there are too many rejected records to go on.
  public enum ErrorLimit: Sendable, Equatable {
    case none
    case count(Int)
    /// Percent of the records read.
    case percent(Double)
  }

  /// What was found.
  public let findings: DiagnosticLog
  /// What the target cannot hold.
  public let losses = LossLog()
  /// What to do with records that cannot be used.
  public let onInvalid: OnInvalid
  /// When to give up.
  public let errorLimit: ErrorLimit
  /// Whether a loss forbids writing.
  public let noLoss: Bool
  /// Whether everything is done but the last step: nothing gets its name.
  public let dryRun: Bool
  /// How notes are read.
  public let reading: ReadingOptions
  /// Why notes were taken for what they were taken; filled when `reading.explains`.
  public let explanations = ExplanationLog()
  /// Notes that say no id; filled when `reading.collectsIDs`.
  public let noteIDs = NoteIDLog()
  /// Whether a file inside a source of many files is left out; asked with the name that findings give it.
  public let leavesOut: @Sendable (String) -> Bool
  /// What lives as long as the run: files of a source that a writer may come back to.
  private let kept = Mutex<[any Sendable & AnyObject]>([])
  /// The time that stands in for times that a source does not give and a target demands.
  public let now: Timestamp

  /// Makes the context of one run.
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
  }

  /// Keeps something until the run is over.
  public func keep(_ object: any Sendable & AnyObject) { kept.withLock { $0.append(object) } }
}

/// How sources are read whose form leaves room for it: notes that people wrote.
public struct ReadingOptions: Sendable {
  /// Whether a note that does not say what it is may be taken for a checklist or a deck.
  public enum Inference: String, Sendable, CaseIterable {
    /// When the evidence is strong.
    case auto
    /// Only what declares itself, or is written as a list of tasks.
    case never
    /// Whenever there is a list to take.
    case always
  }

  /// What may be inferred.
  public var infer = Inference.auto
  /// Whether the run says of every note what it was taken for, and why.
  public var explains = false

  /// Whether the run collects the ids of notes that say none, to be written into them.
  public var collectsIDs = false

  /// Whether a reader goes on where its source contradicts itself, and reports all that is wrong: for checking, and
  /// never for taking anything over.
  public var goesOn = false

  /// Whether texts with a translation are read as decks, too.
  public var decks = false
  /// Whether an execution is made of the ticks of each checklist that has any.
  public var withTicks = false
  /// The user whose data is read of a source with the data of several; nil for all, where there is one.
  public var user: String?

  /// How tables are read.
  public var table = TableOptions()

  /// The options that apply when none are given.
  public init() {}
}

/// How tables are read and written, as the user says it.
public struct TableOptions: Sendable {
  /// Headers and the columns that they stand for, `Шаг` → `item`; before anything that is guessed.
  public var map: [(header: String, column: String)] = []
  /// The header of the column that tells rows apart where there is no column of ids; nil for none.
  public var key: String?
  /// What a row stands for: `steps`, `cards` or `catalogue`; nil to find out.
  public var shape: String?
  /// Whether the first row is data as all others, and `map` and `key` name columns by their numbers.
  public var noHeader = false
  /// Whether each column is a section, with the titles of its steps below its name.
  public var matrix = false
  /// The sheet of a workbook that is read; nil for all that have something to read.
  public var sheet: String?
  /// Whether CSV is written for Excel: with a byte order mark.
  public var excel = false
  /// What separates the cells of a delimited text that is read; nil to find out.
  public var delimiter: UInt8?
  /// What separates the cells of a delimited text that is written; nil for commas, and for tabs in a `.tsv`.
  public var writtenDelimiter: UInt8?
  /// Where rejected rows are from that are read again, and how that was read; nil for a source of its own.
  ///
  /// Every record of such a source is partial, and its ids are those of the table that the rows were rejected from.
  public var retry: RetryOrigin?

  /// The options that apply when none are given.
  public init() {}
}

/// Something that a target cannot hold: which record, which part of it, and why.
public struct Loss: Encodable, Sendable {
  /// What the record is.
  public let kind: RecordKind
  /// The record's id.
  public let id: String
  /// What is lost, as a JSON Pointer; empty for the whole record.
  public let field: String
  /// Why the target cannot hold it.
  public let reason: LossReason
}

/// Why a target cannot hold something. `text` is the only place where a reason becomes a sentence.
public enum LossReason: Hashable, Sendable, Encodable {
  /// The whole record was left out.
  case skipped(SkipReason)

  // MARK: Libraries

  /// The app's tables have no column for it.
  case noColumn
  /// The newest schema of the app does not have the column that it is from.
  case columnIsGone
  /// An older schema has no column for it.
  case notInSchema(version: String)
  /// The recovered value is written in place of the original.
  case recovered
  /// A number of more digits than floating point holds.
  case rounded
  /// An item has one body.
  case secondBody
  /// It would be public without a public id.
  case publicWithoutID
  /// What belongs to a publication of an item that is private.
  case itemIsPrivate
  /// The operation that the item waits for was not selected.
  case operationNotSelected
  /// The item's publication was not sent, and was not selected.
  case publicationNotSent

  // MARK: Bundles, notes and packs

  /// Members of a header that FleetKit does not know.
  case unknownHeader
  /// A bundle holds the name and checksum of an attachment.
  case noBytesInBundle
  /// A note holds one item.
  case notAnItem
  /// Standard output holds notes.
  case noBytesInOutput
  /// The attachment's name cannot be that of a file in a vault.
  case noFileName
  /// An attachment without a checksum.
  case noChecksum
  /// What belongs to the reader of a pack: pins.
  case pins
  /// What belongs to the library of a pack: where and how an item is published.
  case publication
  /// What belongs to the author of a pack: an account.
  case account
  /// What a registry counts.
  case counts
  /// How well cards are known.
  case reviews
  /// How a note was typed, and when its file was changed.
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
  /// Todoist has lists of tasks.
  case notAList
  /// A project of Todoist has the name of its file.
  case projectTitle
  /// What a project of Todoist does not have.
  case project
  /// Ids and times.
  case taskIDs
  /// A section of Todoist without a title.
  case untitledSection
  /// What a section of Todoist does not have.
  case section
  /// Words with @ in a title.
  case labelInTitle
  /// A label of more than one word.
  case labelOfWords
  /// A task that is optional.
  case optionalTask
  /// What a task of Todoist does not have.
  case task

  /// The reason in words.
  public var text: String {
    switch self {
    case .skipped(let reason): reason.text
    case .noColumn: "the app's tables have no column for it"
    case .columnIsGone: "the app's newest schema does not have this column"
    case .notInSchema(let version): "schema \(version) has no column for it"
    case .recovered: "the recovered value is written, not the unreadable original"
    case .rounded: "the library keeps floating point: the number is rounded"
    case .secondBody: "the app's library has room for one body of an item"
    case .publicWithoutID: "it would be public without a public id, and could not be withdrawn"
    case .itemIsPrivate: "the item is private"
    case .operationNotSelected: "the operation that it waits for was not selected"
    case .publicationNotSent: "its publication was not sent, and was not selected"
    case .unknownHeader: "members of a header that FleetKit does not know"
    case .noBytesInBundle: "a bundle holds the name and checksum of an attachment, not its bytes"
    case .notAnItem: "a note holds one item and nothing else"
    case .noBytesInOutput: "standard output holds notes, not the bytes of attachments"
    case .noFileName: "the attachment has no name that a file in a vault could have"
    case .noChecksum: "an attachment without a checksum keeps its name, not its bytes"
    case .pins: "pins are the reader's own"
    case .publication: "where and how an item is published belongs to its library"
    case .account: "whose account an item belongs to is nobody's business"
    case .counts: "forks and ratings are counted by the registry"
    case .reviews: "how well cards are known is one person's practice"
    case .typing: "how a note was typed, and when its file was changed, belongs to its source"
    case .noTableColumn(let shape, let member, let noun):
      "a table of \(shape) has no column for '\(member)' of \(noun)"
    case .noCharacter: "XML does not have such a character"
    case .tagsInCell: "a cell cannot say tags with semicolons, with blanks around them or without text"
    case .repeatedID: "a table tells rows apart by their ids, and this id is taken"
    case .noDocument: "a table cannot tell an item without a document from an empty one"
    case .notAList: "Todoist has lists of tasks and nothing else"
    case .projectTitle: "Todoist calls a project like its file"
    case .project: "a project of Todoist is a title, sections and tasks"
    case .taskIDs: "Todoist has no ids and times of ours"
    case .untitledSection: "a section of Todoist must have a title"
    case .section: "a section of Todoist has nothing but a title"
    case .labelInTitle: "Todoist takes words with @ in a title for labels"
    case .labelOfWords: "a label of Todoist is one word"
    case .optionalTask: "a task of Todoist cannot be optional"
    case .task: "a task of Todoist has no place for other members"
    }
  }

  /// Encodes the reason in words.
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// Everything that a run could not take along. Counts all losses, keeps the first ones of each reason in full.
public final class LossLog: Sendable {
  private struct State {
    var kept: [Loss] = []
    var counts: [LossReason: Int] = [:]
    var order: [LossReason] = []
    var observer: (@Sendable (Loss) -> Void)?
  }

  private let state = Mutex(State())
  private let keepPerReason = 200

  /// Makes an empty log.
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

  /// Reports every loss from now on, those that are not kept too; on the thread that met it, one at a time.
  package func observe(_ observer: (@Sendable (Loss) -> Void)?) { state.withLock { $0.observer = observer } }

  /// How many losses there were.
  public var total: Int { state.withLock { $0.counts.values.reduce(0, +) } }

  /// The losses that were kept in full.
  public var kept: [Loss] { state.withLock { $0.kept } }

  /// Every reason with its number of losses, in the order of their first occurrence.
  public var byReason: [(reason: LossReason, count: Int)] {
    state.withLock { state in state.order.map { ($0, state.counts[$0] ?? 0) } }
  }
}

/// Notes that say no id, and the ids that their records have, for those who want them written into the notes.
public final class NoteIDLog: Sendable {
  private struct State {
    var notes: [(file: String, id: String)] = []
    var renamed: [String: String] = [:]
    var placeBound: Set<String> = []
  }

  private let state = Mutex(State())

  /// Makes an empty log.
  public init() {}

  /// Adds a note.
  /// - Parameters:
  ///   - file: the note as the system finds it.
  ///   - hangsOnPlace: whether the id is another one when the vault lies elsewhere.
  public func add(_ file: String, id: String, hangsOnPlace: Bool) {
    state.withLock { state in
      state.notes.append((file, id))
      if hangsOnPlace { state.placeBound.insert(id) }
    }
  }

  /// Adds what another run collected.
  public func add(contentsOf other: NoteIDLog) {
    let (notes, placeBound) = other.state.withLock { ($0.notes, $0.placeBound) }
    state.withLock { state in
      state.notes += notes
      state.placeBound.formUnion(placeBound)
    }
  }

  /// The ids that are others when the vault lies elsewhere, as the source has them.
  public var placeBound: Set<String> { state.withLock { $0.placeBound } }

  /// Notes that a record went into a library under another id.
  public func rename(_ id: String, to target: String) { state.withLock { $0.renamed[id] = target } }

  /// The notes with the ids that their records have in the end, in the order of reading.
  public var all: [(file: String, id: String)] {
    state.withLock { state in state.notes.map { ($0.file, state.renamed[$0.id] ?? $0.id) } }
  }
}

/// Why a note was taken for what it was taken.
public struct Explanation: Sendable {
  /// One piece of evidence.
  public struct Reason: Sendable {
    /// What was seen, in a few words: `14 of 16 lines are steps`.
    public let text: String
    /// How much it counts: positive for what the note was taken for.
    public let weight: Int
    /// The line where it stands; nil for evidence of the whole note, its name or its folder.
    public let line: Int?

    /// Makes a reason.
    public init(_ text: String, weight: Int, line: Int? = nil) {
      self.text = text
      self.weight = weight
      self.line = line
    }
  }

  /// The note's file.
  public let file: String
  /// What it was taken for.
  public let takenFor: String
  /// How sure that is, in percent; 100 for what the note declares.
  public let certainty: Int
  /// The evidence, weightiest first.
  public let reasons: [Reason]

  /// Makes an explanation.
  public init(file: String, takenFor: String, certainty: Int, reasons: [Reason]) {
    self.file = file
    self.takenFor = takenFor
    self.certainty = certainty
    self.reasons = reasons
  }
}

/// Explanations in the order in which they were made; kept only for runs that print them.
public final class ExplanationLog: Sendable {
  private let state = Mutex<[Explanation]>([])

  /// Makes an empty log.
  public init() {}

  /// Adds an explanation.
  public func add(_ explanation: Explanation) { state.withLock { $0.append(explanation) } }

  /// All of them.
  public var all: [Explanation] { state.withLock { $0 } }
}
