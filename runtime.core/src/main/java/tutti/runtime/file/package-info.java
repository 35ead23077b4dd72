/**
 * Files that ranks read and write together.
 *
 * <pre>{@code
 * SharedFile                        pointers, views, and what each access does
 *   -> IndependentAccess -> DiskFile              of one rank
 *   -> CollectiveAccess  -> DiskFile              of all ranks: they exchange data by collectives, and one rank of each node accesses the file
 *   -> FileTasks                                  the threads of accesses that do not block
 *   -> SharedPointer, RangeLocks -> Window        what ranks of all nodes change together
 * FileView -> ViewMap               where the data of a view is in the file
 * FileData                          the data of an access, as it is in the file
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.file;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
