/** The names of a table's columns; those of numbers stand above their last digit. */
export const TableHead = ({ columns }: { columns: readonly (string | { number: string })[] }) => (
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
)
