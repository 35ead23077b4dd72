package tutti.runtime.file;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.exchange.CallExchange;
import tutti.runtime.inspect.FileState;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/**
 * A file that the ranks of a communicator have opened together, as one of them holds it. Offsets and pointers are in elements of the view's etype;
 * each rank has a view and a pointer, and all together have another pointer.
 *
 * <p>Every call checks its arguments first and throws {@link MpiFailure} with the error class that MPI defines. A collective call that cannot be made
 * by one rank fails on all ranks.
 *
 * <p><b>Threads.</b> Threads may call as the rank's thread level allows; collective calls, one thread at a time. Accesses that do not block are made
 * by threads of {@link FileTasks}; a collective call waits for the collective accesses before it.
 */
public final class SharedFile {
    /** Displacement of a view: the shared pointer of a file in sequential mode. */
    public static final long DISPLACEMENT_CURRENT = -54278278;

    /** From where a pointer is moved. */
    public enum Whence {
        /** From the begin of the view. */
        BEGIN,
        /** From the pointer. */
        POINTER,
        /** From the end of the file. */
        END
    }

    private static final int MOST_PENDING = 16;

    private final Communicator comm;
    private final AccessMode mode;
    private final DiskFile file;
    private final FileTasks tasks;
    private final FilePointers pointers;
    /** Numbers of the nodes of the ranks, equal for ranks of one node. */
    private final long[] nodeOf;
    private final CollectiveAccess.Buffers buffers = new CollectiveAccess.Buffers();
    private final String system;
    private Map<String, String> given;
    private FileHints hints;
    private int[] aggregators;
    private volatile RankViews views;
    private volatile @Nullable RangeLocks locks;
    private volatile boolean isClosed;
    private final Supplier<FileState> state = this::state;
    /** The access that was begun and is to be ended; null when there is none. */
    private @Nullable Split split;

    /** A collective access in two calls. */
    private record Split(FileAccess access, @Nullable Object buffer, Request request) {}

    private SharedFile(final Communicator comm, final OpenedFile opened, final Map<String, String> given) {
        this.comm = comm;
        this.mode = opened.mode();
        this.file = opened.file();
        this.system = opened.system();
        this.nodeOf = opened.nodeOf();
        this.tasks = new FileTasks(comm.context());
        this.given = Map.copyOf(given);
        this.hints = FileHints.of(given).ofFirst(new CallExchange(comm));
        this.aggregators = CollectiveAccess.aggregators(nodeOf, hints.aggregators());
        this.pointers = new FilePointers(file, new SharedPointer(comm));
        this.views = RankViews.exchange(new CallExchange(comm), aggregators, FileView.BYTES);
        if (mode.appends()) {
            final long end = new CallExchange(comm).ofFirst(file.size());
            pointers.setOwn(end);
            pointers.setShared(new CallExchange(comm), end);
        }
    }

    /**
     * Opens a file, together with all ranks of the communicator.
     *
     * @param name  path of the file; the same file on all ranks
     * @param amode sum of {@code MPI.MODE_*}
     * @param given hints
     */
    public static SharedFile open(final Communicator comm, final @Nullable String name, final int amode, final Map<String, String> given) {
        comm.checkUsable();
        comm.context().checkIntra();
        final Communicator inner = comm.dup();
        OpenedFile opened = null;
        boolean isOpen = false;
        try {
            inner.setName("file " + name);
            opened = OpenedFile.open(inner, name, amode);
            final SharedFile made = new SharedFile(inner, opened, given);
            comm.context().owner().files().add(made.state);
            isOpen = true;
            return made;
        } finally {
            if (!isOpen) {
                if (opened != null) {
                    opened.file().close();
                }
                inner.free();
            }
        }
    }

    /** Deletes a file that is not open. */
    public static void delete(final @Nullable String name) {
        DiskFile.delete(OpenedFile.path(name));
    }

    /** Returns what the file is like at the moment, for users; called by any thread. */
    private FileState state() {
        final Split begun = split;
        final Stream<String> started = tasks.pending().stream().filter(r -> begun == null || r != begun.request).map(r -> r.access().nonblocking());
        return new FileState(file.path().toString(), mode.text(), mode.isSequential() ? FileState.NO_POINTER : pointers.own(),
            views.own().etype().size(), locks != null,
            Stream.concat(Stream.ofNullable(begun).map(s -> s.access + "Begin"), started).limit(MOST_PENDING).toList());
    }

    /** Returns the communicator of the file's own messages, with the same ranks. */
    public Communicator communicator() {
        return comm;
    }

    /** Returns the access mode. */
    public int amode() {
        return mode.bits();
    }

    /** Returns whether the file was closed. */
    public boolean isClosed() {
        return isClosed;
    }

    /** Refuses a call that cannot be served at this time. */
    public void checkUsable() {
        comm.context().owner().checkUsable();
        if (isClosed) {
            throw new MpiFailure(ErrorClass.FILE, "file has been closed: file=" + file.path());
        }
    }

    /** Begins a collective call: those before it are complete. */
    private CallExchange collective() {
        checkUsable();
        tasks.awaitCollective();
        return new CallExchange(comm);
    }

    private void checkNotSequential(final String call) {
        if (mode.isSequential()) {
            // Cause: a file in sequential mode has a shared pointer only. Remedy: the calls with Shared or Ordered, or another mode.
            throw new MpiFailure(ErrorClass.UNSUPPORTED_OPERATION, "call does not go with MODE_SEQUENTIAL: call=" + call);
        }
    }

    private void checkWrites(final String call) {
        if (!mode.writes()) {
            // Cause: the file was opened to be read. Remedy: MODE_RDWR or MODE_WRONLY.
            throw new MpiFailure(ErrorClass.READ_ONLY, "file is open to be read: call=" + call + ", file=" + file.path());
        }
    }

    /** Returns the failure of an action; null if it has none. */
    private static @Nullable MpiFailure problem(final Runnable action) {
        try {
            action.run();
            return null;
        } catch (final MpiFailure e) {
            return e;
        }
    }

    /** Closes the file, together with all ranks; what was written is on the disk. */
    public void close() {
        final CallExchange exchange = collective();
        exchange.agree(problem(() -> checkNoSplit("close")));
        final MpiFailure problem = mode.deletesOnClose() ? null : problem(file::sync);
        isClosed = true;
        comm.context().owner().files().remove(state);
        tasks.end();
        exchange.gather(0); // nobody uses the pointer or the locks any more
        pointers.shared().free();
        final RangeLocks held = locks;
        if (held != null) {
            held.free();
        }
        file.close();
        MpiFailure failed = problem;
        exchange.gather(0);
        if (mode.deletesOnClose() && comm.rank() == 0) {
            failed = problem(() -> DiskFile.delete(file.path()));
        }
        try {
            exchange.agree(failed);
        } finally {
            comm.free();
        }
    }

    /** Makes the file shorter or longer, together with all ranks. */
    public void setSize(final long size) {
        resize("setSize", size, () -> file.resize(size));
    }

    /** Makes the file at least so long, together with all ranks, so that it has the space. */
    public void preallocate(final long size) {
        resize("preallocate", size, () -> file.reserve(size));
    }

    private void resize(final String call, final long size, final Runnable action) {
        final CallExchange exchange = collective();
        final long[] sizes = exchange.gather(problem(() -> {
            checkWrites(call);
            checkNotSequential(call);
            if (size < 0) {
                // Cause: a file has from 0 bytes on. Remedy: a number of bytes.
                throw new MpiFailure(ErrorClass.ARG, "size of file is negative: size=" + size);
            }
        }), size);
        exchange.checkSame(sizes, 1, 0, "size");
        exchange.agree(comm.rank() == 0 ? problem(action) : null);
    }

    /** Returns the length of the file in bytes. */
    public long size() {
        checkUsable();
        return file.size();
    }

    /** Waits, together with all ranks, until what they have written is on the disk. */
    public void sync() {
        final CallExchange exchange = collective();
        exchange.agree(problem(() -> {
            checkWrites("sync");
            file.sync();
        }));
    }

    /** Sets hints, together with all ranks; those that are not given keep their values. */
    public void setHints(final Map<String, String> more) {
        final CallExchange exchange = collective();
        final Map<String, String> merged = new TreeMap<>(given);
        merged.putAll(more);
        given = merged;
        hints = FileHints.of(merged).ofFirst(exchange);
        aggregators = CollectiveAccess.aggregators(nodeOf, hints.aggregators());
        views = RankViews.exchange(exchange, aggregators, views.own());
    }

    /** Returns the hints in use, and what the file system is. */
    public Map<String, String> hints() {
        checkUsable();
        final Map<String, String> all = new TreeMap<>(given);
        all.putAll(hints.inUse(aggregators.length));
        all.put("tutti_file_system", system);
        return all;
    }

    /** Sets the rank's view, together with all ranks, and the pointers to its begin. */
    public void setView(final long displacement, final Datatype etype, final Datatype filetype, final @Nullable String datarep) {
        setView(displacement, etype, filetype, datarep, Map.of());
    }

    /** Sets the rank's view, together with all ranks, of which each may have hints, or none. */
    public void setView(final long displacement, final Datatype etype, final Datatype filetype, final @Nullable String datarep,
        final Map<String, String> more) {
        final CallExchange exchange = collective();
        final FileView[] view = {FileView.BYTES};
        final MpiFailure problem = problem(() -> {
            checkNoSplit("setView");
            if (displacement == DISPLACEMENT_CURRENT && !mode.isSequential()) {
                // Cause: only a file in sequential mode has one pointer. Remedy: a displacement in bytes.
                throw new MpiFailure(ErrorClass.ARG, "DISPLACEMENT_CURRENT needs MODE_SEQUENTIAL");
            }
            final long begin = displacement == DISPLACEMENT_CURRENT ? views.own().map().offset(pointers.shared().get() * views.own().etype().size())
                : displacement;
            view[0] = FileView.of(begin, etype, filetype, DataRepresentation.of(datarep), mode);
        });
        final long[] said = exchange.gather(problem, view[0].etype().size(), view[0].etype().extent(), view[0].representation().ordinal(),
            more.isEmpty() ? 0 : 1);
        exchange.checkSame(said, 4, 0, "bytes of etype");
        exchange.checkSame(said, 4, 1, "extent of etype");
        exchange.checkSame(said, 4, 2, "data representation");
        if (IntStream.range(0, comm.size()).anyMatch(r -> said[4 * r + 3] != 0)) {
            setHints(more);
        }
        views = RankViews.exchange(exchange, aggregators, view[0]);
        pointers.setOwn(0);
        pointers.setShared(exchange, 0);
    }

    /** Moves the rank's pointer. */
    public void seek(final long offset, final Whence whence) {
        checkUsable();
        checkNotSequential("seek");
        pointers.setOwn(pointers.moved(views.own(), offset, whence, pointers::own));
    }

    /** Returns the rank's pointer. */
    public long position() {
        checkUsable();
        checkNotSequential("getPosition");
        return pointers.own();
    }

    /** Returns the offset in the file of an element of the view, in bytes. */
    public long byteOffset(final long offset) {
        checkUsable();
        checkNotSequential("getByteOffset");
        return views.own().map().offset(views.own().bytesBefore(offset));
    }

    /** Moves the shared pointer, together with all ranks, which say the same. */
    public void seekShared(final long offset, final Whence whence) {
        final CallExchange exchange = collective();
        final long[] to = {0};
        final MpiFailure problem = problem(() -> {
            checkNotSequential("seekShared");
            to[0] = comm.rank() == 0 ? pointers.moved(views.own(), offset, whence, pointers.shared()::get) : 0;
        });
        final long[] said = exchange.gather(problem, offset, whence.ordinal());
        exchange.checkSame(said, 2, 0, "offset");
        exchange.checkSame(said, 2, 1, "whence");
        pointers.setShared(exchange, to[0]);
    }

    /** Returns the shared pointer. */
    public long sharedPosition() {
        checkUsable();
        return pointers.shared().get();
    }

    /** Returns the bytes from element to element of a datatype in the file. */
    public long typeExtent(final Datatype type) {
        checkUsable();
        Datatype.checkType(type);
        return type.extent();
    }

    /** Sets, together with all ranks, whether accesses of ranks follow each other where they touch the same bytes. */
    public void setAtomicity(final boolean isAtomic) {
        final CallExchange exchange = collective();
        exchange.checkSame(exchange.gather(isAtomic ? 1 : 0), 1, 0, "flag");
        final RangeLocks held = locks;
        if (isAtomic && held == null) {
            locks = new RangeLocks(comm);
        } else if (!isAtomic && held != null) {
            locks = null;
            held.free();
        }
    }

    /** Returns whether accesses of ranks follow each other where they touch the same bytes. */
    public boolean isAtomic() {
        checkUsable();
        return locks != null;
    }

    /** Checks an access, and moves the rank's pointer if the access begins there. */
    private PreparedAccess prepare(final FileAccess access, final long offset, final @Nullable Object buffer, final long count,
        final Datatype type) {
        if (access.isWrite()) {
            checkWrites(access.toString());
        } else if (!mode.reads()) {
            // Cause: the file was opened to be written. Remedy: MODE_RDWR or MODE_RDONLY.
            throw new MpiFailure(ErrorClass.ACCESS, "file is open to be written: call=" + access + ", file=" + file.path());
        }
        if (access.place() != FileAccess.Place.SHARED) {
            checkNotSequential(access.toString());
        }
        final RankViews now = views;
        final MessageBuffer user = access.isWrite() ? comm.context().buffers().of(buffer, count, type)
            : comm.context().buffers().into(buffer, count, type);
        final PreparedAccess made = PreparedAccess.of(access, now, offset, user, new FileData(user, type, now.own().representation()));
        if (access.place() == FileAccess.Place.POINTER) {
            made.begin(pointers.getAndAdd(made.elements()));
        }
        return made;
    }

    private long runAlone(final PreparedAccess prepared) {
        return prepared.run(file, locks, hints.sieves());
    }

    private Status run(final CallExchange exchange, final FileAccess access, final @Nullable PreparedAccess prepared,
        final @Nullable MpiFailure problem) {
        if (prepared != null && access.isWrite()) {
            prepared.data().load();
        }
        final long bytes = access.isCollective() ? runAll(exchange, access, prepared, problem) : runAlone(Objects.requireNonNull(prepared));
        if (prepared != null && !access.isWrite()) {
            prepared.data().store(bytes);
        }
        return new Status(Status.ANY, Status.ANY, bytes, false);
    }

    private long runAll(final CallExchange exchange, final FileAccess access, final @Nullable PreparedAccess prepared,
        final @Nullable MpiFailure problem) {
        if (access.place() == FileAccess.Place.SHARED) {
            final long[] all = exchange.gather(problem, prepared == null ? 0 : prepared.elements());
            long before = 0;
            long total = 0;
            for (int r = 0; r < all.length; r++) {
                before += r < comm.rank() ? all[r] : 0;
                total += all[r];
            }
            final long begin = exchange.ofFirst(comm.rank() == 0 ? pointers.shared().getAndAdd(total) : 0);
            Objects.requireNonNull(prepared, "no problem").begin(begin + before);
        }
        final FileHints used = locks == null ? hints : new FileHints(hints.aggregators(), hints.bufferBytes(), false, hints.sieves());
        return new CollectiveAccess(exchange, file, used, aggregators, prepared == null ? views : prepared.views(), buffers)
            .run(access.isWrite(), prepared == null ? 0 : prepared.position(), prepared == null ? null : prepared.data(), problem,
                () -> runAlone(Objects.requireNonNull(prepared, "no problem")));
    }

    /**
     * Reads or writes elements.
     *
     * @param offset where the access begins, if it has an offset
     */
    public Status access(final FileAccess access, final long offset, final @Nullable Object buffer, final long count, final Datatype type) {
        checkUsable();
        if (!access.isCollective()) {
            final PreparedAccess prepared = prepare(access, offset, buffer, count, type);
            beginShared(prepared);
            return run(new CallExchange(comm), access, prepared, null);
        }
        final CallExchange exchange = collective();
        final PreparedAccess[] prepared = {null};
        final MpiFailure problem = problem(() -> {
            checkNoSplit(access.toString());
            prepared[0] = prepare(access, offset, buffer, count, type);
        });
        return run(exchange, access, prepared[0], problem);
    }

    /** Moves the shared pointer for an access of this rank alone. */
    private void beginShared(final PreparedAccess prepared) {
        if (prepared.access().place() == FileAccess.Place.SHARED) {
            prepared.begin(pointers.shared().getAndAdd(prepared.elements()));
        }
    }

    /** Starts to read or write elements. */
    public Request start(final FileAccess access, final long offset, final @Nullable Object buffer, final long count, final Datatype type) {
        checkUsable();
        if (!access.isCollective()) {
            final PreparedAccess prepared = prepare(access, offset, buffer, count, type);
            beginShared(prepared);
            return tasks.start(access, request -> run(new CallExchange(comm, request::await), access, prepared, null));
        }
        final PreparedAccess[] prepared = {null};
        final MpiFailure problem = problem(() -> prepared[0] = prepare(access, offset, buffer, count, type));
        final PreparedAccess checked = prepared[0];
        return tasks.start(access, request -> run(new CallExchange(comm, request::await), access, checked, problem));
    }

    private void checkNoSplit(final String call) {
        final Split pending = split;
        if (pending != null) {
            // Cause: a file has one collective access in two calls at a time. Remedy: its end before.
            throw new MpiFailure(ErrorClass.UNSUPPORTED_OPERATION, "collective access was begun and not ended: call=" + call + ", begun="
                + pending.access + "Begin");
        }
    }

    /** Begins a collective access, which {@link #end} ends. */
    public void begin(final FileAccess access, final long offset, final @Nullable Object buffer, final long count, final Datatype type) {
        checkUsable();
        checkNoSplit(access + "Begin");
        split = new Split(access, buffer, start(access, offset, buffer, count, type));
    }

    /** Ends the collective access that was begun, and returns its status. */
    public Status end(final FileAccess access, final @Nullable Object buffer) {
        checkUsable();
        final Split pending = split;
        if (pending == null || pending.access != access) {
            // Cause: an end belongs to the begin before it. Remedy: the end of the same name.
            throw new MpiFailure(ErrorClass.UNSUPPORTED_OPERATION, "no such collective access was begun: call=" + access + "End, begun="
                + (pending == null ? "none" : pending.access + "Begin"));
        }
        if (pending.buffer != buffer) {
            // Cause: both calls have the same buffer. Remedy: the buffer of the begin.
            throw new MpiFailure(ErrorClass.BUFFER, "buffer differs from that of the begin: call=" + access + "End");
        }
        split = null;
        return pending.request.waitFor();
    }
}
