import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { id, primaryKey, timestamp } from './columns.js';

/** Confirms that a trainee has completed a course. Names, title and dates are copied at the completion. */
export class Certificate extends Model<InferAttributes<Certificate>, InferCreationAttributes<Certificate>> {
  declare id: string;
  /** The printed form: see schemas/certificate.ts. */
  declare code: string;
  /** The completed enrollment; null after the certificate is revoked. */
  declare enrollmentId: string | null;
  declare userId: string;
  /** The course may have been deleted. */
  declare courseId: string;
  declare firstName: string;
  declare lastName: string;
  declare courseTitle: string;
  declare trainerName: string;
  /** Days, as `YYYY-MM-DD`. */
  declare startDate: string | null;
  declare endDate: string | null;
  declare completedOn: string;
  declare issuedAt: Date;
  declare revokedAt: Date | null;
}

export function initCertificate(sequelize: Sequelize): typeof Certificate {
  return class extends Certificate {}.init(
    {
      id: primaryKey(),
      code: { type: DataTypes.STRING(34), allowNull: false },
      enrollmentId: { ...id(), allowNull: true },
      userId: { ...id(), allowNull: false },
      courseId: { ...id(), allowNull: false },
      firstName: { type: DataTypes.STRING(50), allowNull: false },
      lastName: { type: DataTypes.STRING(50), allowNull: false },
      courseTitle: { type: DataTypes.STRING(200), allowNull: false },
      trainerName: { type: DataTypes.STRING(101), allowNull: false },
      startDate: { type: DataTypes.DATEONLY, allowNull: true },
      endDate: { type: DataTypes.DATEONLY, allowNull: true },
      completedOn: { type: DataTypes.DATEONLY, allowNull: false },
      issuedAt: { ...timestamp(), allowNull: false },
      revokedAt: { ...timestamp(), allowNull: true },
    },
    { sequelize, modelName: 'Certificate', tableName: 'certificates', timestamps: false },
  );
}
