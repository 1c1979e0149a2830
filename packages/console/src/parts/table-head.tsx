import { Caption } from './caption.tsx'

interface Props {
  caption: string
  columns: readonly (string | { number: string })[]
}

/** What a table shows, and the names of its columns; those of numbers stand above their last digit. */
export const TableHead = ({ caption, columns }: Props) => (
  <>
    <Caption>{caption}</Caption>
    <thead>
      <tr>
        {columns.map((column) =>
          typeof column === 'string' ? (
            <th key={column} scope="col">
              {column}
            </th>
          ) : (
            <th key={column.number} scope="col" className="number">
              {column.number}
            </th>
          ),
        )}
      </tr>
    </thead>
  </>
)
