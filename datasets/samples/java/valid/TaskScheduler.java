package jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks on worker threads, the most urgent first.
 * <p>
 * Tasks of equal urgency run in the order in which they came: {@code sequence}
 * breaks the tie.
 */
public class TaskScheduler implements AutoCloseable {

    private static final int DEFAULT_WORKERS = Runtime.getRuntime().availableProcessors();

    private class Task<T> implements Comparable<Task<?>>, Runnable {
        private final int urgency;
        private final int sequence;
        private final Callable<? extends T> body;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Task(int urgency, Callable<? extends T> body) {
            this.urgency = urgency;
            this.body = body;
            this.sequence = TaskScheduler.this.counter.getAndIncrement();
        }

        @Override
        public int compareTo(Task<?> that) {
            int c = Integer.compare(that.urgency, urgency);
            return c != 0 ? c : Integer.compare(sequence, that.sequence);
        }

        @Override
        public void run() {
            try {
                result.complete(body.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        }
    }

    private final PriorityQueue<Task<?>> queue = new PriorityQueue<>();
    private final List<Thread> workers = new ArrayList<>();
    private final AtomicInteger counter = new AtomicInteger();
    private final Object lock = new Object();
    private volatile boolean closed;
    protected transient int finished;

    public TaskScheduler() {
        this(DEFAULT_WORKERS);
    }

    public TaskScheduler(final int threads) {
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(this::work, "worker-" + i);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
    }

    private void work() {
        while (true) {
            Task<?> task;
            synchronized (lock) {
                while (queue.isEmpty() && !closed) {
                    try {
                        lock.wait(100);
                    } catch (InterruptedException ignored) {
                        Thread.currentThread().interrupt();
                        return;
                    }
                }
                if ((task = queue.poll()) == null) {
                    return;
                }
            }
            task.run();
            synchronized (this) { finished++; }
        }
    }

    public <T> Future<T> submit(int urgency, Callable<? extends T> body) {
        Task<T> task = new Task<T>(urgency, body);
        synchronized (lock) {
            if (closed) throw new IllegalStateException("closed");
            queue.add(task);
            lock.notify();
        }
        return task.result;
    }

    public Future<Void> run(Runnable body) {
        return this.<Void>submit(0, () -> {
            body.run();
            return null;
        });
    }

    public synchronized int finished() {
        return finished;
    }

    @Override
    public void close() throws InterruptedException {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        for (Thread worker : workers) worker.join();
    }

    public static void main(String[] args) throws Exception {
        List<Future<Long>> sums = new ArrayList<>();
        try (TaskScheduler scheduler = new TaskScheduler(2)) {
            for (int i = 1; i <= 5; i++) {
                final long n = i * 1_000L;
                sums.add(scheduler.submit(i % 3, () -> {
                    long sum = 0;
                    for (long k = 1; k <= n; k++) sum += k;
                    return sum;
                }));
            }
            scheduler.run(new Runnable() {
                @Override public void run() {
                    System.out.println("in " + Thread.currentThread().getName());
                }
            }).get(1, TimeUnit.SECONDS);
            for (Future<Long> sum : sums) {
                System.out.println(sum.get());
            }
        } catch (ExecutionException | TimeoutException e) {
            e.printStackTrace();
        }
    }
}
