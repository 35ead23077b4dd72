/**
 * Ranks as processes within one JVM: each rank runs a program with its own class loader, threads, standard streams and exit.
 *
 * <pre>{@code
 * RankProcess -> RankMain (main thread) -> MainMethod of RankLoader -> ProgramClassPath -> ClassRewriter: System.exit -> RankSystem
 * RankProcess -> RankShutdown (own thread): ShutdownHooks, JvmShutdownHooks, FilesDeletedAtExit, RankThreads, RankConsole.finish
 * System.exit -> RankSystem -> RankProcess.exit -> EndedThread.block: the thread waits for the end of the JVM
 * System.out -> RoutedPrintStream (RankStreams) -> CurrentRank.find -> RankConsole -> LineStream -> RankOutput
 * RankHooks, RankOutput, RankInput, RankClasses (package owner): the interfaces to the owner of the ranks
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.process;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
