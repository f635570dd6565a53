/** Unicode encodings, which contain every character. */
const unicodeEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;
/** Code pages in which programs save CSV, named as in the WHATWG Encoding Standard. */
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
export const importEncodings = [...unicodeEncodings, ...codePages] as const;
export type Encoding = (typeof importEncodings)[number];

export const importDelimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof importDelimiters)[number];

/** Reasons why a whole file can't be imported, for programs that show their own messages, for example translated ones. */
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
  'GROUPS_TOO_MANY',
] as const;
export type FileProblemReason = (typeof fileProblemReasons)[number];
