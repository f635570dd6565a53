/** The encodings of Unicode, which have every character. */
const unicodeEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;
/** The code pages in which programs save "CSV", by their names in the Encoding Standard of the WHATWG. */
export const codePages = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-874',
  'macintosh',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
] as const;
export type CodePage = (typeof codePages)[number];
/** How an import file may be encoded. */
export const importEncodings = [...unicodeEncodings, ...codePages] as const;
export type Encoding = (typeof importEncodings)[number];

/** Signs between the fields of an import file. */
export const importDelimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof importDelimiters)[number];

/** Why a whole file can't be imported: for programs, which say it in other words than the message, or in another language. */
export const fileProblemReasons = [
  'NOT_CSV',
  'NO_ROWS',
  'ENCODING_UNKNOWN',
  'ENCODING_DOUBTFUL',
  'UNDECODABLE',
  'DELIMITER_UNKNOWN',
  'HEADER_MISSING',
  'HEADER_BELOW',
  'COLUMNS_MISSING',
  'COLUMN_REPEATED',
  'SHEET_UNKNOWN',
  'WORKBOOK_LOCKED',
  'WORKBOOK_TYPE',
  'WORKBOOK_DAMAGED',
  'WORKBOOK_TOO_LARGE',
  'FILE_TOO_LARGE',
] as const;
export type FileProblemReason = (typeof fileProblemReasons)[number];
