/**
 * Datatypes, reduction operations on them, and the memory behind arrays and buffers.
 *
 * <pre>{@code
 * Datatype -> TypeMap (TypeBlock...) -> Packer -> StridedCopy     layout, pack and unpack
 * Op + Datatype -> BoundReduction -> Kernel or UserReduction      reductions on packed elements
 * array, java.nio buffer -> UserMemory -> MemorySegment
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.datatype;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
