import {
  CompositePayloadConverter,
  METADATA_ENCODING_KEY,
  UndefinedPayloadConverter,
  type Payload,
  type PayloadConverterWithEncoding,
} from '@temporalio/common'

/** JSON as Temporal's own tools show it, with amounts of money as `{"$bigint": "40000000"}`. */
class JsonWithBigintsConverter implements PayloadConverterWithEncoding {
  readonly encodingType = 'json/plain'

  toPayload(value: unknown): Payload | undefined {
    const json = JSON.stringify(value, (_, field: unknown) =>
      typeof field === 'bigint' ? { $bigint: field.toString() } : field,
    )
    if (json === undefined) return undefined
    const encoder = new TextEncoder()
    return {
      metadata: { [METADATA_ENCODING_KEY]: encoder.encode(this.encodingType) },
      data: encoder.encode(json),
    }
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the SDK declares it
  fromPayload<T>({ data }: Payload): T {
    return JSON.parse(new TextDecoder().decode(data ?? new Uint8Array()), (_, field: unknown) =>
      isBigint(field) ? BigInt(field.$bigint) : field,
    ) as T
  }
}

const isBigint = (field: unknown): field is { $bigint: string } =>
  typeof field === 'object' && field !== null && '$bigint' in field && typeof field.$bigint === 'string'

/** What crosses between client, workflows and steps. Loaded by its path, by the worker and into the workflow bundle. */
export const payloadConverter = new CompositePayloadConverter(
  new UndefinedPayloadConverter(),
  new JsonWithBigintsConverter(),
)
