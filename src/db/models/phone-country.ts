import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';

/** The single row of the setting in services/phone-country.ts. */
export class PhoneCountry extends Model<InferAttributes<PhoneCountry>, InferCreationAttributes<PhoneCountry>> {
  declare id: number;
  /** Country code of two letters; empty without a country. */
  declare country: CreationOptional<string>;
}

export function initPhoneCountry(sequelize: Sequelize): typeof PhoneCountry {
  return class extends PhoneCountry {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, allowNull: false },
      country: { type: DataTypes.STRING(2), allowNull: false, defaultValue: '' },
    },
    { sequelize, modelName: 'PhoneCountry', tableName: 'phone_country', timestamps: false },
  );
}
