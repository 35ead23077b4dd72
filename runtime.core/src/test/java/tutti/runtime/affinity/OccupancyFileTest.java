package tutti.runtime.affinity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OccupancyFileTest {
    private static final int ENTRY_BYTES = 64;

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("cores");
    }

    private void write(final long pid, final long start, final int busy) throws IOException {
        final ByteBuffer entry = ByteBuffer.allocate(ENTRY_BYTES).order(ByteOrder.nativeOrder());
        Files.write(file(), entry.putLong(pid).putLong(start).putInt(busy).array(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static long startOf(final ProcessHandle process) {
        return process.info().startInstant().orElseThrow().toEpochMilli();
    }

    @Test
    void shouldShareTheEntryOfAProcess() {
        final OccupancyFile one = OccupancyFile.open(file());
        final OccupancyFile other = OccupancyFile.open(file());
        one.add(2);
        other.add(3);
        other.add(-1);
        assertEquals(4, one.sum());
        assertEquals(4, other.sum());
    }

    @Test
    void shouldCountOtherProcessesThatRun() throws IOException {
        final ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
        write(parent.pid(), startOf(parent), 5);
        final OccupancyFile occupancy = OccupancyFile.open(file());
        occupancy.add(1);
        assertEquals(6, occupancy.sum());
    }

    @Test
    void shouldNotCountAProcessThatHasEnded() throws IOException {
        final ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
        // the number was given to another process since
        write(parent.pid(), startOf(parent) - 1, 5);
        final OccupancyFile occupancy = OccupancyFile.open(file());
        occupancy.add(1);
        assertEquals(1, occupancy.sum());
    }

    @Test
    void shouldNoticeAtARefreshThatAProcessHasEnded() throws IOException {
        final ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
        write(parent.pid(), startOf(parent), 5);
        final OccupancyFile occupancy = OccupancyFile.open(file());
        assertEquals(5, occupancy.sum());
        write(parent.pid(), startOf(parent) - 1, 5);
        assertEquals(5, occupancy.sum());
        occupancy.refresh();
        assertEquals(0, occupancy.sum());
    }

    @Test
    void shouldCountAloneWhereTheFileCannotBeMapped() {
        final OccupancyFile occupancy = OccupancyFile.open(folder.resolve("missing").resolve("cores"));
        occupancy.add(3);
        assertEquals(3, occupancy.sum());
    }
}
