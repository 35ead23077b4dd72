package tutti.coll.advanced;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** A task of a plan that an {@link OpaqueWork} carries out. */
@ProviderType
public interface OpaqueTask extends ModuleTask {

    /** Returns the ranges that the plan says are read, in its order, packed and read-only. Not to be read after the task is complete or cancelled. */
    List<MemorySegment> reads();

    /** Returns the ranges that the plan says are written, in its order, packed. Not to be used after the task is complete or cancelled. */
    List<MemorySegment> writes();
}
