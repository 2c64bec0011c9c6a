/// A language of the interface. The content keeps its own.
public enum PageLanguage: String, Sendable, CaseIterable {
  case english = "en"
  case russian = "ru"

  /// The language's name in itself.
  var name: String { self == .english ? "English" : "Русский" }

  /// The position of the language's column in the table.
  private var column: Int { self == .english ? 0 : 1 }

  /// The strings of the interface, by their key.
  var words: [String: String] { Self.columns[column] }

  private static let columns: [[String: String]] = [0, 1].map { column in table.mapValues { $0[column] } }

  /// Languages of content that the search form offers, by their names in themselves.
  static let ofContent: [(code: String, name: String)] = [
    ("en", "English"), ("ru", "Русский"), ("de", "Deutsch"), ("el", "Ελληνικά"), ("es", "Español"),
    ("fr", "Français"), ("hr", "Hrvatski"), ("it", "Italiano"), ("nl", "Nederlands"), ("pl", "Polski"),
    ("pt", "Português"), ("sv", "Svenska"), ("tr", "Türkçe"),
  ]

  private static let table: [String: [String]] = [
    "accounts": ["Accounts elsewhere", "Другие аккаунты"],
    "any": ["Any", "Любой"],
    "author": ["Author", "Автор"],
    "blank": ["This item has no content.", "Здесь пока ничего нет."],
    "by": ["by", "автор:"],
    "card": ["Card", "Карточка"],
    "changed": ["changed", "изменено"],
    "checklist": ["Checklist", "Чек-лист"],
    "chosenTags": ["Only items with these tags:", "Только с этими метками:"],
    "code": ["Code", "Код"],
    "contributions": ["Published", "Опубликовано"],
    "copied": ["Copied", "Скопировано"],
    "copies": ["Copied by others", "Скопировано другими"],
    "copy": ["Copy", "Скопировать"],
    "copyOf": ["A copy of", "Копия:"],
    "discover": ["Checklists, guides and flashcards", "Чек-листы, руководства и карточки"],
    "error.404": ["Nothing is published here", "Здесь ничего не опубликовано"],
    "error.404.text": [
      "The address may be misspelt, or what was here is no longer public. The search finds everything that is public.",
      "Возможно, в адресе опечатка или публикация снята. Всё опубликованное можно найти поиском.",
    ],
    "error.405": ["This page can only be read", "Эту страницу можно только читать"],
    "error.405.text": [
      "Open the page without sending anything to it.", "Откройте страницу, ничего на неё не отправляя.",
    ],
    "error.422": ["This search is not possible", "Такой поиск невозможен"],
    "error.422.text": ["Change these values and search again.", "Измените эти значения и повторите поиск."],
    "error.429": ["Too many requests", "Слишком много запросов"],
    "error.429.text": ["Wait a minute, then try again.", "Подождите минуту и попробуйте снова."],
    "error.503": ["The registry is busy", "Сервер занят"],
    "error.503.text": ["Try again in a moment.", "Попробуйте ещё раз чуть позже."],
    "error.other": ["The page cannot be shown", "Страницу нельзя показать"],
    "error.other.text": [
      "Go to the list of everything that is public, and try again from there.",
      "Перейдите к списку всех публикаций и попробуйте снова.",
    ],
    "feed": ["Feed of new items", "Лента новых публикаций"],
    "file.fleetpack": ["Content pack", "Пакет"],
    "file.jsonl": ["Bundle", "Набор записей"],
    "file.md": ["Note in Markdown", "Заметка в Markdown"],
    "flashcard_deck": ["Flashcards", "Карточки"],
    "fork": [
      "This command makes your own copy in a library:", "Эта команда создаёт вашу собственную копию в библиотеке:",
    ],
    "goHome": ["Show everything that is public", "Показать все публикации"],
    "hideAnswer": ["Show the question", "Показать вопрос"],
    "hint": ["Hint", "Подсказка"],
    "import": [
      "'fleetkit import' reads all of these files. An imported item still names its author.",
      "Команда «fleetkit import» читает все эти файлы. Импортированная запись сохраняет имя автора.",
    ],
    "interface": ["API", "API"],
    "language": ["Language", "Язык"],
    "languages": ["Language of this page", "Язык страницы"],
    "lineage": ["Lineage", "Происхождение"],
    "locale": ["en_GB", "ru_RU"],
    "minutes": ["min", "мин"],
    "most_forked": ["Most copied first", "Сначала те, что копируют чаще"],
    "newest": ["Newest first", "Сначала новые"],
    "next": ["Next page", "Следующая страница"],
    "noFork": ["The author allows no copies of this item.", "Автор не разрешил делать копии."],
    "noMore": ["There are no more items.", "Больше ничего нет."],
    "noResults": [
      "Nothing was found. Search for fewer words, or remove a filter.",
      "Ничего не найдено. Уберите часть слов или один из фильтров.",
    ],
    "notPublic": ["no longer public", "больше не опубликовано"],
    "oldest": ["Oldest first", "Сначала старые"],
    "nothingYet": ["Nothing has been published yet.", "Пока ничего не опубликовано."],
    "optional": ["optional", "по желанию"],
    "order": ["Order", "Порядок"],
    "original": ["the original", "оригинал"],
    "page": ["Page", "Страница"],
    "pages": ["Pages", "Страницы"],
    "practice_guide": ["Guide", "Руководство"],
    "previous": ["Previous page", "Предыдущая страница"],
    "print": [
      "A print on A4 or A5 contains only the content and its origin.",
      "На бумаге A4 или A5 печатаются только содержание и его происхождение.",
    ],
    "printBoxes": [
      "A print on A4 or A5 contains only the content and its origin, with a box to tick for each step.",
      "На бумаге A4 или A5 печатаются только содержание и его происхождение, с клеткой для каждого шага.",
    ],
    "published": ["published", "опубликовано"],
    "remove": ["Remove the tag", "Убрать метку"],
    "request": ["Request", "Запрос"],
    "required": ["required", "обязательно"],
    "results": ["Search results", "Результаты поиска"],
    "search": ["Search", "Найти"],
    "showAnswer": ["Show the answer", "Показать ответ"],
    "since": ["Member since", "Участник с"],
    "site": ["Discover", "Каталог"],
    "skip": ["Skip to the content", "Перейти к содержанию"],
    "source": ["Source", "Источник"],
    "tag": ["Tag", "Метка"],
    "tags": ["Tags", "Метки"],
    "take": ["Copy, download, print", "Копировать, скачать, напечатать"],
    "type": ["Type", "Вид"],
    "words": ["Words", "Слова"],
  ]
}
