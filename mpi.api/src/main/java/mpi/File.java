package mpi;

import java.nio.Buffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;
import tutti.runtime.file.FileAccess;
import tutti.runtime.file.SharedFile;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A file that all ranks of a communicator have opened together. Each rank has a view of it, which {@link #setView} sets: the elements where a
 * filetype that is repeated has them. Offsets are in elements of the view.
 *
 * <p>Accesses begin at an offset of the call ({@code ...At}), at the rank's pointer, which each access moves, or at the pointer of all ranks
 * ({@code ...Shared}, {@code ...Ordered}). Calls with {@code All} or {@code Ordered} are collective: all ranks make them, in one order, and the
 * runtime puts their data together to few long accesses of the file. A name that begins with {@code i} starts an access whose {@link Request} is to
 * be waited for; {@code ...Begin} starts a collective access that {@code ...End} ends, one at a time for each file.
 *
 * <p>The path is that of a file of the rank's node, relative to the folder in which the node was started, and must be the same file on all nodes.
 * Buffers are arrays, buffers with an array, direct buffers or memory segments. What a rank has written others read after {@link #sync} and a
 * barrier, or at once in atomic mode and on the same node.
 *
 * <p>Threads may call as the rank's thread level allows; collective calls, one thread at a time for each file. Errors invoke the file's error
 * handler, at first {@code MPI.ERRORS_RETURN}: they are thrown as {@link MPIException}. A collective call that fails on one rank fails on all.
 */
public final class File implements AutoCloseable {
    private final SharedFile handle;
    /** On which errors are raised: it has the file's name and error handler. */
    private final Intracomm raiser;
    private FileView view;

    /**
     * Opens a file. All ranks of the communicator must call it.
     *
     * @param comm     an intracommunicator
     * @param filename path of the file
     * @param amode    {@code MPI.MODE_RDONLY}, {@code MODE_WRONLY} or {@code MODE_RDWR}, with other modes added
     */
    public File(final Comm comm, final String filename, final int amode) throws MPIException {
        this(comm, filename, amode, Info.NULL);
    }

    /** Opens a file, with hints: see {@link #setInfo}. */
    public File(final Comm comm, final String filename, final int amode, final Info info) throws MPIException {
        if (comm == null) {
            throw ErrorHandling.error(MPI.ERR_COMM, "communicator is null");
        }
        comm.checkUsable();
        try {
            this.handle = SharedFile.open(comm.handle, filename, amode, hints(info));
        } catch (final MpiFailure e) {
            throw ErrorHandling.thrown(comm, e);
        }
        this.raiser = new Intracomm(handle.communicator(), handle.communicator().name());
        raiser.setErrhandler(Errhandler.RETURN);
        final Datatype bytes = Bindings.of(comm.handle.owner()).datatype("BYTE");
        this.view = new FileView(0, bytes, bytes, "native");
    }

    private static Map<String, String> hints(final @Nullable Info info) {
        return info == null || info.isNull() ? Map.of() : info.toMap();
    }

    /** Deletes a file. Local. */
    public static void delete(final String filename) throws MPIException {
        delete(filename, Info.NULL);
    }

    /** Deletes a file; no hint has an effect. Local. */
    public static void delete(final String filename, final Info info) throws MPIException {
        final Rank caller = ErrorHandling.checkedCaller();
        try {
            SharedFile.delete(filename);
        } catch (final MpiFailure e) {
            throw ErrorHandling.thrown(Bindings.of(caller).world(), e);
        }
    }

    /** Returns the communicator on which errors are raised. */
    Intracomm raiser() {
        return raiser;
    }

    boolean isClosed() {
        return handle.isClosed();
    }

    /** A call of the runtime. */
    private interface Call<T> {
        T make();
    }

    private <T> T call(final Call<T> call) throws MPIException {
        InitState.check(handle.communicator().owner());
        try {
            return call.make();
        } catch (final MpiFailure e) {
            throw handle.isClosed() ? ErrorHandling.thrown(Bindings.of(handle.communicator().owner()).world(), e) : ErrorHandling.on(raiser, e);
        }
    }

    private void run(final Runnable call) throws MPIException {
        call(() -> {
            call.run();
            return true;
        });
    }

    /** Closes the file. All ranks must call it, when their accesses are complete. What was written is on the disk then. */
    @Override
    public void close() throws MPIException {
        run(handle::close);
    }

    /** Makes the file shorter, or longer with zeros. All ranks must call it. */
    public void setSize(final long size) throws MPIException {
        run(() -> handle.setSize(size));
    }

    /** Makes the file at least so long, so that the space is there. All ranks must call it. */
    public void preallocate(final long size) throws MPIException {
        run(() -> handle.preallocate(size));
    }

    /** Returns the length of the file in bytes. */
    public long getSize() throws MPIException {
        return call(handle::size);
    }

    /** Returns the group of the ranks that have opened the file. Local. */
    public Group getGroup() throws MPIException {
        run(handle::checkUsable);
        return raiser.getGroup();
    }

    /** Returns the access mode. Local. */
    public int getAMode() throws MPIException {
        run(handle::checkUsable);
        return handle.amode();
    }

    /**
     * Sets hints; those that {@code info} does not have keep their values. All ranks must call it, with the same ones. Known are {@code cb_nodes},
     * the number of ranks that access the file in collective calls, {@code cb_buffer_size}, the bytes that each has at once,
     * {@code collective_buffering} ({@code false}: each rank accesses the file itself), and {@code romio_ds_read} ({@code disable}: blocks close to
     * each other are read one by one). Others are kept and have no effect.
     */
    public void setInfo(final Info info) throws MPIException {
        run(() -> handle.setHints(hints(info)));
    }

    /** Returns the hints in use, and under {@code tutti_file_system} the type of the file system. */
    public Info getInfo() throws MPIException {
        final Info info = new Info();
        for (final Map.Entry<String, String> hint : call(handle::hints).entrySet()) {
            info.set(hint.getKey(), hint.getValue());
        }
        return info;
    }

    /** Sets the rank's view, and all pointers to its begin. All ranks must call it; etypes and representations must agree. */
    public void setView(final long disp, final Datatype etype, final Datatype filetype, final String datarep) throws MPIException {
        setView(disp, etype, filetype, datarep, Info.NULL);
    }

    /**
     * Sets the rank's view, and all pointers to its begin. All ranks must call it.
     *
     * @param disp     offset of the first filetype in the file, in bytes; {@code MPI.DISPLACEMENT_CURRENT} with {@code MPI.MODE_SEQUENTIAL}
     * @param etype    type of the elements
     * @param filetype type that is repeated, made of etypes, whose displacements do not fall
     * @param datarep  {@code native} and {@code internal}: as in memory; {@code external32}: as the standard defines it
     * @param info     hints: see {@link #setInfo}
     */
    public void setView(final long disp, final Datatype etype, final Datatype filetype, final String datarep, final Info info) throws MPIException {
        run(() -> handle.setView(disp, Datatype.of(etype), Datatype.of(filetype), datarep, hints(info)));
        view = new FileView(disp, etype, filetype, datarep);
    }

    /** Returns the rank's view. */
    public FileView getView() {
        return view;
    }

    private Status access(final FileAccess access, final long offset, final @Nullable Object buf, final long count, final Datatype type)
        throws MPIException {
        return new Status(call(() -> handle.access(access, offset, buf, count, Datatype.of(type))));
    }

    private Request start(final FileAccess access, final long offset, final @Nullable Object buf, final long count, final Datatype type)
        throws MPIException {
        return raiser.request(call(() -> handle.start(access, offset, buf, count, Datatype.of(type))));
    }

    private void begin(final FileAccess access, final long offset, final @Nullable Object buf, final int count, final Datatype type)
        throws MPIException {
        run(() -> handle.begin(access, offset, buf, count, Datatype.of(type)));
    }

    private Status end(final FileAccess access, final @Nullable Object buf) throws MPIException {
        return new Status(call(() -> handle.end(access, buf)));
    }

    /** Reads elements at an offset of the view. The status has the number of those that were there. */
    public Status readAt(final long offset, final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.READ_AT, offset, buf, count, type);
    }

    /** Reads elements at an offset of the view, together with all ranks. */
    public Status readAtAll(final long offset, final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.READ_AT_ALL, offset, buf, count, type);
    }

    /** Writes elements at an offset of the view. */
    public Status writeAt(final long offset, final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.WRITE_AT, offset, buf, count, type);
    }

    /** Writes elements at an offset of the view, together with all ranks. */
    public Status writeAtAll(final long offset, final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.WRITE_AT_ALL, offset, buf, count, type);
    }

    /** Reads elements at the rank's pointer. */
    public Status read(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.READ, 0, buf, count, type);
    }

    /** Reads elements at the rank's pointer, together with all ranks. */
    public Status readAll(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.READ_ALL, 0, buf, count, type);
    }

    /** Writes elements at the rank's pointer. */
    public Status write(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.WRITE, 0, buf, count, type);
    }

    /** Writes elements at the rank's pointer, together with all ranks. */
    public Status writeAll(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.WRITE_ALL, 0, buf, count, type);
    }

    /** Reads elements at the pointer of all ranks. */
    public Status readShared(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.READ_SHARED, 0, buf, count, type);
    }

    /** Writes elements at the pointer of all ranks. */
    public Status writeShared(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.WRITE_SHARED, 0, buf, count, type);
    }

    /** Reads elements at the pointer of all ranks, together with them, in the order of the ranks. */
    public Status readOrdered(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.READ_ORDERED, 0, buf, count, type);
    }

    /** Writes elements at the pointer of all ranks, together with them, in the order of the ranks. */
    public Status writeOrdered(final Object buf, final int count, final Datatype type) throws MPIException {
        return access(FileAccess.WRITE_ORDERED, 0, buf, count, type);
    }

    /** Starts to read as {@code readAt} does. */
    public Request iReadAt(final long offset, final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_AT, offset, buf, count, type);
    }

    /** Starts to read as {@code readAt} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iReadAt(final long offset, final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_AT, offset, buf, count, type);
    }

    /** Starts to read as {@code readAtAll} does. */
    public Request iReadAtAll(final long offset, final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_AT_ALL, offset, buf, count, type);
    }

    /** Starts to read as {@code readAtAll} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iReadAtAll(final long offset, final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_AT_ALL, offset, buf, count, type);
    }

    /** Starts to write as {@code writeAt} does. */
    public Request iWriteAt(final long offset, final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_AT, offset, buf, count, type);
    }

    /** Starts to write as {@code writeAt} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iWriteAt(final long offset, final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_AT, offset, buf, count, type);
    }

    /** Starts to write as {@code writeAtAll} does. */
    public Request iWriteAtAll(final long offset, final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_AT_ALL, offset, buf, count, type);
    }

    /** Starts to write as {@code writeAtAll} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iWriteAtAll(final long offset, final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_AT_ALL, offset, buf, count, type);
    }

    /** Starts to read as {@code read} does. */
    public Request iRead(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.READ, 0, buf, count, type);
    }

    /** Starts to read as {@code read} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iRead(final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.READ, 0, buf, count, type);
    }

    /** Starts to read as {@code readAll} does. */
    public Request iReadAll(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_ALL, 0, buf, count, type);
    }

    /** Starts to read as {@code readAll} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iReadAll(final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_ALL, 0, buf, count, type);
    }

    /** Starts to write as {@code write} does. */
    public Request iWrite(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE, 0, buf, count, type);
    }

    /** Starts to write as {@code write} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iWrite(final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE, 0, buf, count, type);
    }

    /** Starts to write as {@code writeAll} does. */
    public Request iWriteAll(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_ALL, 0, buf, count, type);
    }

    /** Starts to write as {@code writeAll} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iWriteAll(final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_ALL, 0, buf, count, type);
    }

    /** Starts to read as {@code readShared} does. */
    public Request iReadShared(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_SHARED, 0, buf, count, type);
    }

    /** Starts to read as {@code readShared} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iReadShared(final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.READ_SHARED, 0, buf, count, type);
    }

    /** Starts to write as {@code writeShared} does. */
    public Request iWriteShared(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_SHARED, 0, buf, count, type);
    }

    /** Starts to write as {@code writeShared} does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request iWriteShared(final Object buf, final long count, final Datatype type) throws MPIException {
        return start(FileAccess.WRITE_SHARED, 0, buf, count, type);
    }

    /** Begins to read as {@code readAtAll} does; {@code readAtAllEnd} ends it. */
    public void readAtAllBegin(final long offset, final Object buf, final int count, final Datatype type) throws MPIException {
        begin(FileAccess.READ_AT_ALL, offset, buf, count, type);
    }

    /** Ends the access that {@code readAtAllBegin} began with that buffer. */
    public Status readAtAllEnd(final Object buf) throws MPIException {
        return end(FileAccess.READ_AT_ALL, buf);
    }

    /** Begins to write as {@code writeAtAll} does; {@code writeAtAllEnd} ends it. */
    public void writeAtAllBegin(final long offset, final Object buf, final int count, final Datatype type) throws MPIException {
        begin(FileAccess.WRITE_AT_ALL, offset, buf, count, type);
    }

    /** Ends the access that {@code writeAtAllBegin} began with that buffer. */
    public Status writeAtAllEnd(final Object buf) throws MPIException {
        return end(FileAccess.WRITE_AT_ALL, buf);
    }

    /** Begins to read as {@code readAll} does; {@code readAllEnd} ends it. */
    public void readAllBegin(final Object buf, final int count, final Datatype type) throws MPIException {
        begin(FileAccess.READ_ALL, 0, buf, count, type);
    }

    /** Ends the access that {@code readAllBegin} began with that buffer. */
    public Status readAllEnd(final Object buf) throws MPIException {
        return end(FileAccess.READ_ALL, buf);
    }

    /** Begins to write as {@code writeAll} does; {@code writeAllEnd} ends it. */
    public void writeAllBegin(final Object buf, final int count, final Datatype type) throws MPIException {
        begin(FileAccess.WRITE_ALL, 0, buf, count, type);
    }

    /** Ends the access that {@code writeAllBegin} began with that buffer. */
    public Status writeAllEnd(final Object buf) throws MPIException {
        return end(FileAccess.WRITE_ALL, buf);
    }

    /** Begins to read as {@code readOrdered} does; {@code readOrderedEnd} ends it. */
    public void readOrderedBegin(final Object buf, final int count, final Datatype type) throws MPIException {
        begin(FileAccess.READ_ORDERED, 0, buf, count, type);
    }

    /** Ends the access that {@code readOrderedBegin} began with that buffer. */
    public Status readOrderedEnd(final Object buf) throws MPIException {
        return end(FileAccess.READ_ORDERED, buf);
    }

    /** Begins to write as {@code writeOrdered} does; {@code writeOrderedEnd} ends it. */
    public void writeOrderedBegin(final Object buf, final int count, final Datatype type) throws MPIException {
        begin(FileAccess.WRITE_ORDERED, 0, buf, count, type);
    }

    /** Ends the access that {@code writeOrderedBegin} began with that buffer. */
    public Status writeOrderedEnd(final Object buf) throws MPIException {
        return end(FileAccess.WRITE_ORDERED, buf);
    }

    private static SharedFile.Whence whence(final int whence) {
        return switch (whence) {
            case MPI.SEEK_SET -> SharedFile.Whence.BEGIN;
            case MPI.SEEK_CUR -> SharedFile.Whence.POINTER;
            case MPI.SEEK_END -> SharedFile.Whence.END;
            // Cause: a pointer is moved from one of three places. Remedy: one of these.
            default -> throw new MpiFailure(ErrorClass.ARG, "no such place: whence=" + whence + ", use MPI.SEEK_SET, SEEK_CUR or SEEK_END");
        };
    }

    /**
     * Moves the rank's pointer.
     *
     * @param offset elements from the place on; may be negative
     * @param whence {@code MPI.SEEK_SET}: the begin of the view, {@code SEEK_CUR}: the pointer, {@code SEEK_END}: the end of the file
     */
    public void seek(final long offset, final int whence) throws MPIException {
        run(() -> handle.seek(offset, whence(whence)));
    }

    /** Returns the rank's pointer, in elements of the view. */
    public long getPosition() throws MPIException {
        return call(handle::position);
    }

    /** Returns the offset in the file of an element of the view, in bytes. */
    public long getByteOffset(final long offset) throws MPIException {
        return call(() -> handle.byteOffset(offset));
    }

    /** Moves the pointer of all ranks, as {@link #seek} does that of one. All ranks must call it, with the same arguments. */
    public void seekShared(final long offset, final int whence) throws MPIException {
        run(() -> handle.seekShared(offset, whence(whence)));
    }

    /** Returns the pointer of all ranks, in elements of the view. */
    public long getPositionShared() throws MPIException {
        return call(handle::sharedPosition);
    }

    /** Returns the bytes from element to element of a datatype in the file. */
    public int getTypeExtent(final Datatype type) throws MPIException {
        return call(() -> Math.toIntExact(handle.typeExtent(Datatype.of(type))));
    }

    /**
     * Sets whether accesses of different ranks that touch the same bytes follow each other, and are seen at once by the accesses after them. All
     * ranks must call it.
     */
    public void setAtomicity(final boolean atomicity) throws MPIException {
        run(() -> handle.setAtomicity(atomicity));
    }

    /** Returns whether the file is in atomic mode. */
    public boolean getAtomicity() throws MPIException {
        return call(handle::isAtomic);
    }

    /** Waits until what the ranks have written is on the disk. All ranks must call it. */
    public void sync() throws MPIException {
        run(handle::sync);
    }

    /** Sets the error handler. */
    public void setErrhandler(final Errhandler errhandler) throws MPIException {
        run(handle::checkUsable);
        raiser.setErrhandler(errhandler);
    }

    /** Returns the error handler. */
    public Errhandler getErrhandler() throws MPIException {
        run(handle::checkUsable);
        return raiser.getErrhandler();
    }

    /** Invokes the error handler for an error code. */
    public void callErrhandler(final int errorCode) throws MPIException {
        run(handle::checkUsable);
        raiser.callErrhandler(errorCode);
    }
}
