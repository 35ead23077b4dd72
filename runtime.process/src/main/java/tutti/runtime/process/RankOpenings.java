package tutti.runtime.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The methods by which a program opens what no garbage collection closes, and starts processes, implemented for a rank: all is closed and ended with
 * the rank. Not for use in source code; see {@link RankSystem}, which inherits the methods for the uses that are redirected there.
 *
 * <p>Streams and sockets are created by constructors, which cannot be redirected. Their cleaners close them, see {@link LeftDescriptors}.
 */
@SuppressWarnings("StreamResourceLeak") // the program closes what it opens, or the end of its rank
abstract class RankOpenings {
    RankOpenings() {}

    private static <T extends @Nullable AutoCloseable> T opened(final T resource) {
        final RankProcess rank = resource == null ? null : CurrentRank.find();
        if (rank != null && resource != null) {
            rank.resources().opened(resource);
        }
        return resource;
    }

    private static Pipe opened(final Pipe pipe) {
        opened(pipe.source());
        opened(pipe.sink());
        return pipe;
    }

    private static Process started(final Process process) {
        final RankProcess rank = CurrentRank.find();
        if (rank != null) {
            rank.resources().started(process);
        }
        return process;
    }

    /** {@link FileChannel#open(Path, OpenOption...)}, for the rank. */
    public static FileChannel openFileChannel(final Path path, final OpenOption[] options) throws IOException {
        return opened(FileChannel.open(path, options));
    }

    /** {@link FileChannel#open(Path, Set, FileAttribute...)}, for the rank. */
    public static FileChannel openFileChannel(final Path path, final Set<? extends OpenOption> options, final FileAttribute<?>[] attributes)
        throws IOException {
        return opened(FileChannel.open(path, options, attributes));
    }

    /** {@link AsynchronousFileChannel#open(Path, OpenOption...)}, for the rank. */
    public static AsynchronousFileChannel openAsynchronousFileChannel(final Path path, final OpenOption[] options) throws IOException {
        return opened(AsynchronousFileChannel.open(path, options));
    }

    /** {@link SocketChannel#open()}, for the rank. */
    public static SocketChannel openSocketChannel() throws IOException {
        return opened(SocketChannel.open());
    }

    /** {@link SocketChannel#open(SocketAddress)}, for the rank. */
    public static SocketChannel openSocketChannel(final SocketAddress remote) throws IOException {
        return opened(SocketChannel.open(remote));
    }

    /** {@link SocketChannel#open(ProtocolFamily)}, for the rank. */
    public static SocketChannel openSocketChannel(final ProtocolFamily family) throws IOException {
        return opened(SocketChannel.open(family));
    }

    /** {@link ServerSocketChannel#open()}, for the rank. */
    public static ServerSocketChannel openServerSocketChannel() throws IOException {
        return opened(ServerSocketChannel.open());
    }

    /** {@link ServerSocketChannel#open(ProtocolFamily)}, for the rank. */
    public static ServerSocketChannel openServerSocketChannel(final ProtocolFamily family) throws IOException {
        return opened(ServerSocketChannel.open(family));
    }

    /** {@link DatagramChannel#open()}, for the rank. */
    public static DatagramChannel openDatagramChannel() throws IOException {
        return opened(DatagramChannel.open());
    }

    /** {@link DatagramChannel#open(ProtocolFamily)}, for the rank. */
    public static DatagramChannel openDatagramChannel(final ProtocolFamily family) throws IOException {
        return opened(DatagramChannel.open(family));
    }

    /** {@link AsynchronousSocketChannel#open()}, for the rank. */
    public static AsynchronousSocketChannel openAsynchronousSocketChannel() throws IOException {
        return opened(AsynchronousSocketChannel.open());
    }

    /** {@link AsynchronousServerSocketChannel#open()}, for the rank. */
    public static AsynchronousServerSocketChannel openAsynchronousServerSocketChannel() throws IOException {
        return opened(AsynchronousServerSocketChannel.open());
    }

    /** {@link Selector#open()}, for the rank. */
    public static Selector openSelector() throws IOException {
        return opened(Selector.open());
    }

    /** {@link Pipe#open()}, for the rank. */
    public static Pipe openPipe() throws IOException {
        return opened(Pipe.open());
    }

    /** {@link Files#newByteChannel(Path, OpenOption...)}, for the rank. */
    public static SeekableByteChannel newByteChannel(final Path path, final OpenOption[] options) throws IOException {
        return opened(Files.newByteChannel(path, options));
    }

    /** {@link Files#newDirectoryStream(Path)}, for the rank. */
    public static DirectoryStream<Path> newDirectoryStream(final Path folder) throws IOException {
        return opened(Files.newDirectoryStream(folder));
    }

    /** {@link Files#newDirectoryStream(Path, String)}, for the rank. */
    public static DirectoryStream<Path> newDirectoryStream(final Path folder, final String glob) throws IOException {
        return opened(Files.newDirectoryStream(folder, glob));
    }

    /** {@link Files#list(Path)}, for the rank. */
    public static Stream<Path> listFiles(final Path folder) throws IOException {
        return opened(Files.list(folder));
    }

    /** {@link Files#walk(Path, FileVisitOption...)}, for the rank. */
    public static Stream<Path> walkFiles(final Path folder, final FileVisitOption[] options) throws IOException {
        return opened(Files.walk(folder, options));
    }

    /** {@link Files#walk(Path, int, FileVisitOption...)}, for the rank. */
    public static Stream<Path> walkFiles(final Path folder, final int depth, final FileVisitOption[] options) throws IOException {
        return opened(Files.walk(folder, depth, options));
    }

    /** {@link ServerSocketChannel#accept()}, for the rank. */
    public static @Nullable SocketChannel accept(final ServerSocketChannel serverSocketChannel) throws IOException {
        return opened(serverSocketChannel.accept());
    }

    /** {@link FileSystem#newWatchService()}, for the rank. */
    public static WatchService newWatchService(final FileSystem fileSystem) throws IOException {
        return opened(fileSystem.newWatchService());
    }

    /** {@link ProcessBuilder#start()}, for the rank. */
    public static Process start(final ProcessBuilder processBuilder) throws IOException {
        return started(processBuilder.start());
    }

    /** {@link Runtime#exec(String)}, for the rank. */
    @SuppressWarnings("deprecation") // programs use it
    public static Process exec(final Runtime runtime, final String command) throws IOException {
        return started(runtime.exec(command));
    }

    /** {@link Runtime#exec(String, String[])}, for the rank. */
    @SuppressWarnings("deprecation") // programs use it
    public static Process exec(final Runtime runtime, final String command, final String[] environment) throws IOException {
        return started(runtime.exec(command, environment));
    }

    /** {@link Runtime#exec(String, String[], File)}, for the rank. */
    @SuppressWarnings("deprecation") // programs use it
    public static Process exec(final Runtime runtime, final String command, final String[] environment, final File folder) throws IOException {
        return started(runtime.exec(command, environment, folder));
    }

    /** {@link Runtime#exec(String[])}, for the rank. */
    public static Process exec(final Runtime runtime, final String[] command) throws IOException {
        return started(runtime.exec(command));
    }

    /** {@link Runtime#exec(String[], String[])}, for the rank. */
    public static Process exec(final Runtime runtime, final String[] command, final String[] environment) throws IOException {
        return started(runtime.exec(command, environment));
    }

    /** {@link Runtime#exec(String[], String[], File)}, for the rank. */
    public static Process exec(final Runtime runtime, final String[] command, final String[] environment, final File folder) throws IOException {
        return started(runtime.exec(command, environment, folder));
    }

    /** {@link FileInputStream#getChannel}, for the rank: a channel may hold a lock. */
    public static FileChannel getChannel(final FileInputStream in) {
        return opened(in.getChannel());
    }

    /** {@link FileOutputStream#getChannel}, for the rank: a channel may hold a lock. */
    public static FileChannel getChannel(final FileOutputStream out) {
        return opened(out.getChannel());
    }

    /** {@link RandomAccessFile#getChannel}, for the rank: a channel may hold a lock. */
    public static FileChannel getChannel(final RandomAccessFile file) {
        return opened(file.getChannel());
    }
}
