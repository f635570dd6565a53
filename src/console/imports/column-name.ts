import type { TFunction } from 'i18next';
import type { FileColumn } from './column-choices.js';

/** Heading of a column, or its number if it has none. */
export const columnName = ({ heading, index }: Pick<FileColumn, 'heading' | 'index'>, t: TFunction): string =>
  heading === null || heading === '' ? t('imports.columns.noHeading', { number: index + 1 }) : heading;

/** First value of a column that is not blank, without passwords. */
export const exampleOf = ({ example, samples }: Pick<FileColumn, 'example' | 'samples'>): string | undefined =>
  example ?? samples[0];
