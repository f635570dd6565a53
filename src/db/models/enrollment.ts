import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import { enrollmentFields } from '../../schemas/enrollment-fields.js';
import type { Certificate } from './certificate.js';
import { attributeDefinitions, type FieldAttributes, id, primaryKey, timestamp } from './columns.js';
import type { Course } from './course.js';
import { fullName, type User } from './user.js';

export interface Enrollment extends FieldAttributes<typeof enrollmentFields> {}

/** A trainee's enrollment in a course. Its fields are in schemas/enrollment-fields.ts. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: init() defines the attributes that the table of fields declares
export class Enrollment extends Model<InferAttributes<Enrollment>, InferCreationAttributes<Enrollment>> {
  declare id: string;
  declare userId: string;
  declare courseId: string;
  /** Always the course's trainer: a foreign key with ON UPDATE CASCADE keeps both equal. */
  declare trainerId: string;
  /** Number that orders the waiting list; null for other statuses. */
  declare waitingNumber: CreationOptional<number | null>;
  /** The trainee's name before the first rename since the enrollment; null without a rename. */
  declare formerName: CreationOptional<string | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  /** Set by services/enrollments/waiting-places.ts. */
  declare waitingPlace?: NonAttribute<number | undefined>;
  declare course?: NonAttribute<Course>;
  declare user?: NonAttribute<User>;
  /** The valid certificate of a completed enrollment. */
  declare certificate?: NonAttribute<Pick<Certificate, 'code'> | null>;

  /** Returns the trainee's former name; null without one, or if the trainee has this name again. Needs {@link user}. */
  formerNameIfDifferent(): string | null {
    if (this.formerName === null) return null;
    if (!this.user) throw new Error(`Enrollment ${this.id} was read without its trainee.`);
    return this.formerName === fullName(this.user) ? null : this.formerName;
  }
}

export function initEnrollment(sequelize: Sequelize): typeof Enrollment {
  return class extends Enrollment {}.init(
    {
      id: primaryKey(),
      userId: { ...id(), allowNull: false },
      courseId: { ...id(), allowNull: false },
      trainerId: { ...id(), allowNull: false },
      ...attributeDefinitions(enrollmentFields),
      waitingNumber: { type: DataTypes.INTEGER },
      formerName: { type: DataTypes.STRING(101) },
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'Enrollment', tableName: 'enrollments' },
  );
}
